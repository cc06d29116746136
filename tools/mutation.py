"""Mutates the packages that decide (see [tool.mutmut]) and says how many of the mutants the tests notice.

Prints every survivor and the share for each package; `.venv/bin/mutmut show NAME` shows one. Ends
with status 1 when a package stays below `LEAST`.
"""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LEAST = 0.90  # of the mutants of a package are noticed by a test
NOTICED = {"killed", "timeout", "caught by type check"}
MUTMUT = Path(sys.executable).with_name("mutmut")
RESULT = re.compile(r"\s*(agenttwin\.(\w+)\.\S+): (.+)")


def results() -> dict[str, dict[str, str]]:
    """For each package the fate of each of its mutants."""
    printed = subprocess.run([MUTMUT, "results", "--all", "true"], check=True, capture_output=True, text=True)
    fates: dict[str, dict[str, str]] = defaultdict(dict)
    for name, package, fate in RESULT.findall(printed.stdout):
        if fate != "skipped":
            fates[package][name] = fate
    return fates


def main() -> int:
    shutil.rmtree("mutants", ignore_errors=True)  # what was found earlier does not know the tests added since
    subprocess.run([MUTMUT, "run"], check=True)
    shares = []
    for package, fates in results().items():
        missed = {name: fate for name, fate in fates.items() if fate not in NOTICED}
        shares.append(1 - len(missed) / len(fates))
        print(f"\n{package}: {shares[-1]:.1%} of {len(fates)} mutants noticed")
        for name, fate in missed.items():
            print(f"  {fate:10} {name}")
    return int(not shares or min(shares) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
