"""Runs tests/frameworks: each agent framework in an environment of its own, with the real package.

    python tools/frameworks.py [NAME …]            those frameworks, or all
    python tools/frameworks.py --record [NAME …]   also writes docs/frameworks.md

The environments lie in .venv-frameworks and are kept. The server that some tests talk to runs in the
environment of this script: a framework may pin what the server needs otherwise.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from agenttwin.frameworks import FRAMEWORKS

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venv-frameworks"
PAGE = ROOT / "docs" / "frameworks.md"
SECONDS = 900

EXTRAS = {
    "pydantic-ai": ["pydantic-ai-slim[mcp]"],
    "langchain": ["langgraph", "langchain-mcp-adapters"],
    "google-adk": ["mcp"],
    "smolagents": ["smolagents[mcp]", "mcp<2"],  # mcpadapt, its client, cannot be imported with mcp 2
    "crewai": ["crewai-tools[mcp]"],
}
"""What the tests of a framework need beside it."""

CLIENTS = ("mcp", "mcpadapt", "langchain-mcp-adapters", "crewai-tools")
"""Packages beside a framework by which it reaches MCP servers."""

NODE = {"vercel-ai": ["ai@6", "@ai-sdk/mcp@1"]}
"""Frameworks for Node.js, which reach the twin over MCP, and what npm installs of each."""

TRIED = {
    "in process": "test_in_process",
    "its agent as it is": "test_the_agent_as_it_is test_own_tools_stay_declared test_a_copy_of_the_agent",
    "a broken wire": "test_a_wire_fault",
    "over MCP": "test_over_mcp",
    "a broken wire over MCP": "test_a_broken_wire_over_mcp",
    "parallel calls": "test_parallel_calls",
}
"""The columns of the table, and how the tests begin that they stand for."""


TEXT = """\
<!-- Made by `python tools/frameworks.py --record` from what ran. -->

# Frameworks

What a run of the adapters' tests saw: the real package of each framework with a scripted model, in an
environment of its own, on Python {python}. [How to use them](how-to/use-your-framework.md).

{table}

The columns are its tools made by `tools(framework=…)`; an agent that was made with tools of its own, its
code untouched; a connection that breaks, a body that is no JSON and one that breaks off half-way, as the
framework itself handles them; the framework's own client of MCP, and the same broken wires through it; and
calls of one turn, recorded in the order in which the model made them, even where the first one takes
longer. – stands where there is no such form; the notes say why.

## What to know of each

{notes}
"""

NOTES = (
    """\
**Parallel calls.** Where a framework calls the tools of a turn in threads, it promises no order, and the
record shows the calls as they arrive: LangChain without an event loop (`invoke`; `ainvoke` keeps the
order), smolagents unless `max_tool_threads=1`, and CrewAI where the model makes several calls in one
answer. The OpenAI Agents SDK awaits each answer of an MCP server before its next call.""",
    """\
**smolagents over MCP** needs `pip install "smolagents[mcp]" "mcp<2"`: its client, `mcpadapt`, imports a
name that mcp 2 no longer has. Its tools demand every argument, those that the schema leaves free too,
such as an idempotency key.""",
    """\
**CrewAI over MCP** goes through `MCPServerAdapter` of `crewai-tools[mcp]`, which sends null for an
argument that the model leaves out: a tool whose schema takes no null refuses that. CrewAI repeats a call
that failed by itself. Its other client, `Agent(mcps=[…])`, needs Python 3.12: before that each call
raises once it has been carried out, so that CrewAI repeats it. From 3.12 on it works, and repeats a call
that timed out with no word to the model.""",
    """\
**A broken wire over MCP.** Clients that are built on mcp 1 wait for an answer that came broken as for one
that is late. What ends the wait is a limit of theirs: `"session_kwargs": {"read_timeout_seconds":
timedelta(…)}` for LangChain, `adapter_kwargs={"client_session_timeout_seconds": 5.0}` for smolagents,
where a whole number, the default too, is taken for no limit. smolagents waits for ever even so where the
connection is dropped, and CrewAI's `MCPServerAdapter`, which has no such setting, after any broken wire;
what ends such a case is its deadline.""",
)
"""What the tests in tests/frameworks show beside the table."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one framework: the versions that it ran with, and the tests that passed and failed."""

    name: str
    versions: dict[str, str]
    passed: tuple[str, ...]
    failed: tuple[str, ...]


def modules(name: str) -> Path:
    """Where the packages of a framework for Node.js are, installed where they are not there."""
    folder = PLACE / name
    if not (folder / ".ready").exists():
        print(f"Making {folder.relative_to(ROOT)} …", flush=True)
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*npm, *NODE[name]], check=True)
        (folder / ".ready").touch()
    return folder


def environment(name: str) -> Path:
    """The Python of a framework's environment, made where it is not there."""
    folder = PLACE / name
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / ".ready"
    if not ready.exists():
        print(f"Making {folder.relative_to(ROOT)} …", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        wanted = [FRAMEWORKS[name].distribution, *EXTRAS.get(name, []), "pytest", "hypothesis"]
        pip = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, *wanted, "-e", str(ROOT)], check=True)
        ready.touch()
    return python


def run(name: str) -> Tried:
    """Runs the tests of one framework."""
    python = Path(sys.executable) if name in NODE else environment(name)
    report = PLACE / f"{name}.xml"
    report.unlink(missing_ok=True)
    module = f"tests/frameworks/test_{name.replace('-', '_')}.py"
    environ = {
        **os.environ,
        "AGENTTWIN_FRAMEWORK": name,
        "AGENTTWIN_SERVER": str(Path(sys.executable).with_name("agenttwin")),
        **({"AGENTTWIN_NODE_MODULES": str(modules(name))} if name in NODE else {}),
        "OTEL_SDK_DISABLED": "true",
        "CREWAI_DISABLE_TELEMETRY": "true",
    }
    options = [
        "-o",
        "filterwarnings=default",
        "-p",
        "no:cacheprovider",
        f"--junit-xml={report}",
        "-W",
        "ignore",
    ]
    subprocess.run(
        [str(python), "-m", "pytest", *options, module], cwd=ROOT, env=environ, timeout=SECONDS, check=False
    )
    return Tried(name, versions(python, name), *outcomes(report))


def outcomes(report: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the tests that passed, and of those that did not."""
    if not report.exists():
        return (), ("no test was run",)
    passed: list[str] = []
    failed: list[str] = []
    for test in ElementTree.parse(report).iter("testcase"):
        bad = any(child.tag in ("failure", "error", "skipped") for child in test)
        (failed if bad else passed).append(test.get("name", ""))
    return tuple(passed), tuple(failed)


def versions(python: Path, name: str) -> dict[str, str]:
    """The versions of the framework and of its MCP client."""
    if name in NODE:
        packages = [package.rpartition("@")[0] for package in NODE[name]]
        files = {package: PLACE / name / "node_modules" / package / "package.json" for package in packages}
        return {package: json.loads(file.read_text())["version"] for package, file in files.items()}
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True
    )
    found = {item["name"]: item["version"] for item in json.loads(listed.stdout)}
    return {key: found[key] for key in (FRAMEWORKS[name].distribution, *CLIENTS) if key in found}


def mark(tried: Tried, names: str) -> str:
    """A cell: whether the tests that it stands for passed, or that there are none."""
    mine = [test for test in (*tried.passed, *tried.failed) if test.startswith(tuple(names.split()))]
    if not mine:
        return "–"
    return "✗" if set(mine) & set(tried.failed) else "✓"


def write(results: list[Tried]) -> None:
    """The page with what ran."""
    rows = [
        [
            f"`{tried.name}`",
            ", ".join(f"{name} {version}" for name, version in tried.versions.items()),
            *(mark(tried, names) for names in TRIED.values()),
        ]
        for tried in results
    ]
    head = ["framework", "ran with", *TRIED]
    table = "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
    notes = "\n\n".join(NOTES)
    PAGE.write_text(TEXT.format(python=platform.python_version(), table=table, notes=notes), "utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")


def main(arguments: list[str]) -> int:
    """Runs what is named; 1 where a test failed."""
    record = "--record" in arguments
    names = [name for name in arguments if name != "--record"] or [*FRAMEWORKS, *NODE]
    if unknown := [name for name in names if name not in FRAMEWORKS and name not in NODE]:
        known = ", ".join([*FRAMEWORKS, *NODE])
        print(f"There is no framework {unknown[0]!r}: {known}.", file=sys.stderr)
        return 2
    results = [run(name) for name in names]
    for tried in results:
        told = f"{len(tried.passed)} passed" + (
            f", failed: {', '.join(tried.failed)}" if tried.failed else ""
        )
        print(f"{tried.name:18} {told}")
    if record:
        write(results)
    return 1 if any(tried.failed for tried in results) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
