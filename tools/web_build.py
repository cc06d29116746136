"""Builds the browser app of web/ into the package, as `agenttwin/_web`.

`make web` runs this file; hatchling loads it as the hook of the wheel. An editable install never builds, and
a build of the same sources is taken as it is, so that a wheel made from a source archive needs no Node.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    Hook = BuildHookInterface[Any]
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface as Hook
    except ImportError:  # `make web` needs no hatchling
        Hook = object

ROOT: Final = Path(__file__).parents[1]
WEB: Final = ROOT / "web"
BUILT: Final = ROOT / "src/agenttwin/_web"
STAMP: Final = "sources.sha256"
NODE: Final = (20, 19)
"""The oldest Node that Vite 8 runs on."""

WITHOUT: Final = "AGENTTWIN_WHEEL_WITHOUT_WEB"


class CustomBuildHook(Hook):
    """Puts the app into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds before the wheel is packed, unless it is an editable one or the app is not wanted."""
        if version == "editable" or os.environ.get(WITHOUT):
            return
        build()


def build() -> None:
    """Makes `_web` be what web/ says now.

    Raises:
        SystemExit: Node is missing or too old, or the build failed; the message says what to do.
    """
    wanted = _sources()
    kept = BUILT / STAMP
    if kept.is_file() and kept.read_text("ascii").strip() == wanted:
        return
    npm = _npm()
    if not (WEB / "node_modules/.package-lock.json").is_file() or _older("node_modules/.package-lock.json"):
        _run(npm, "ci", "--no-audit", "--no-fund")
    _run(npm, "run", "build")
    kept.write_text(wanted + "\n", "ascii")


def _sources() -> str:
    """One digest of every file that the build reads."""
    found = hashlib.sha256()
    for file in sorted(WEB.rglob("*")):
        name = file.relative_to(WEB)
        if file.is_file() and "node_modules" not in name.parts:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{name.as_posix()} {content}\n".encode())
    return found.hexdigest()


def _older(name: str) -> bool:
    return (WEB / name).stat().st_mtime < (WEB / "package-lock.json").stat().st_mtime


def _npm() -> str:
    node, npm = shutil.which("node"), shutil.which("npm")
    needed = f"The browser app is built with Node {NODE[0]}.{NODE[1]} or newer and npm"
    remedy = f"Install it, or set {WITHOUT}=1 for a wheel without the app (the server then says so)."
    if not node or not npm:
        raise SystemExit(f"{needed}; `{'npm' if node else 'node'}` was not found. {remedy}")
    told = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if tuple(int(part) for part in told.removeprefix("v").split(".")[:2]) < NODE:
        raise SystemExit(f"{needed}; here is {told}. {remedy}")
    return npm


def _run(npm: str, *words: str) -> None:
    done = subprocess.run([npm, *words], cwd=WEB)
    if done.returncode:
        raise SystemExit(f"`npm {' '.join(words)}` failed in web/ (exit code {done.returncode}).")


if __name__ == "__main__":
    build()
