"""Code from outside is found by `module:function`, first in the workspace's own folder."""

import importlib.metadata
import sys
from types import ModuleType

import pytest

from agenttwin.errors import NotFound, UsageError
from agenttwin.workspace import ADAPTERS, load, registered
from agenttwin.workspace import _code as code
from tests.unit.workspace._workspace import refusal

CLERK = """
import till
def run(): return till.NAME
class Desk:
    run = staticmethod(lambda: 2)
rum = 3
"""
MODULES = {"clerk.py": CLERK, "till.py": "NAME = 'till'\n"}


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(code, "_ROOTS", [])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def folder(path, files=MODULES):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def test_a_function_is_found_beside_the_workspace(tmp_path):
    assert load("clerk:run", folder(tmp_path))() == "till"


def test_a_function_may_lie_deeper(tmp_path):
    folder(tmp_path, {"shop/__init__.py": "", "shop/desk.py": CLERK, "till.py": "NAME = 1"})
    assert load("shop.desk:Desk.run", tmp_path)() == 2


def test_an_installed_package_will_do(tmp_path):
    assert load("json:dumps", tmp_path)(1) == "1"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("clark:run", "There is no module 'clark' for 'clark:run'. [no_such_module]"),
        ("clerk.desk:run", "There is no module 'clerk.desk' for 'clerk.desk:run'. [no_such_module]"),
        ("clerk:runs", "There is no 'runs' in 'clerk'. Did you mean 'run'? [no_such_function]"),
        ("clerk:Desk.rum", "There is no 'rum' in 'clerk:Desk'. Did you mean 'run'? [no_such_function]"),
        ("clerk:zzz", "There is no 'zzz' in 'clerk'. [no_such_function]"),
        ("clerk:rum", "'clerk:rum' is no function. [no_such_function]"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_told(tmp_path, target, message):
    assert refusal(NotFound, load, target, folder(tmp_path)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n1 / 0\n", "broken.py:2: ZeroDivisionError: division by zero."),
        ("def (:\n", "broken.py:1: SyntaxError: invalid syntax"),
        ("\nimport opanai\n", "broken.py:2: ModuleNotFoundError: No module named 'opanai'."),
        ("def f(): raise KeyError('a\\nb')\nf()\n", "broken.py:1: KeyError: "),
    ],
)
def test_a_module_that_fails_says_where(tmp_path, text, message):
    said = refusal(UsageError, load, "broken:run", folder(tmp_path, {"broken.py": text}))
    assert said.startswith(f"Importing 'broken' failed at {message}")
    assert said.endswith("[broken_module]")
    assert "\n" not in said


@pytest.mark.parametrize("way", ["raise SystemExit(0)", "class Panic(BaseException): pass\nraise Panic"])
def test_a_module_that_would_end_the_process_is_refused(tmp_path, way):
    folder(tmp_path, {"ends.py": f"{way}\n"})
    assert refusal(UsageError, load, "ends:run", tmp_path).startswith("Importing 'ends' failed at ends.py:")


def test_a_file_written_a_moment_ago_counts(tmp_path):
    refusal(NotFound, load, "late:run", tmp_path)
    folder(tmp_path, {"late.py": "def run(): return 'late'\n"})
    assert load("late:run", tmp_path)() == "late"


# -- two workspaces in one process


def test_two_workspaces_may_have_modules_of_one_name(tmp_path):
    one = folder(tmp_path / "one", {"clerk.py": CLERK, "till.py": "NAME = 'one'"})
    two = folder(tmp_path / "two", {"clerk.py": CLERK, "till.py": "NAME = 'two'"})
    first, second = load("clerk:run", one), load("clerk:run", two)
    assert (first(), second(), load("clerk:run", one)()) == ("one", "two", "one")


def test_a_package_of_one_name_is_told_apart_too(tmp_path):
    for name in ("one", "two"):
        folder(tmp_path / name, {"shop/desk.py": f"def run(): return {name!r}"})
    assert load("shop.desk:run", tmp_path / "one")() == "one"
    assert load("shop.desk:run", tmp_path / "two")() == "two"


def test_a_module_that_only_one_has_stays(tmp_path):
    one = folder(tmp_path / "one", {"only.py": "def run(): return 1"})
    two = folder(tmp_path / "two", {"clerk.py": "def run(): return 2"})
    load("only:run", one)
    load("clerk:run", two)
    assert "only" in sys.modules


def test_a_workspace_does_not_unload_what_python_brings(tmp_path):
    import json

    root = folder(tmp_path, {"json.py": "def run(): return 1", "clerk.py": "def run(): return 1"})
    load("clerk:run", root)
    assert sys.modules["json"] is json


def test_a_module_is_loaded_once(tmp_path):
    root = folder(tmp_path)
    assert load("clerk:run", root) is load("clerk:run", root)


# -- entry points


def points(monkeypatch, **values):
    found = importlib.metadata.EntryPoints(
        importlib.metadata.EntryPoint(name, value, ADAPTERS) for name, value in values.items()
    )
    monkeypatch.setattr(code, "entry_points", lambda group: found)


def test_functions_may_be_registered_by_a_package(tmp_path, monkeypatch):
    points(monkeypatch, dumps="json:dumps", other="json:loads")
    found = registered(ADAPTERS, {"other": "clerk:run"}, folder(tmp_path))
    assert found["dumps"](1) == "1"
    assert found["other"]() == "till"


def test_a_package_that_fails_is_named(tmp_path, monkeypatch):
    points(monkeypatch, shop="no_such_package_at_all:run")
    said = refusal(UsageError, registered, ADAPTERS, {}, tmp_path)
    assert said.startswith("Loading 'shop', an entry point of 'no_such_package_at_all:run', failed at ")


def test_one_that_is_not_needed_is_not_loaded(tmp_path, monkeypatch):
    points(monkeypatch, shop="no_such_package_at_all:run")
    assert registered(ADAPTERS, {"shop": "clerk:run"}, folder(tmp_path))["shop"]() == "till"


def test_code_is_loaded_while_other_threads_import(tmp_path, monkeypatch):
    (tmp_path / "clerk.py").write_text("def run(): return 7\n")
    foreign = code._foreign

    def imported_meanwhile(name, root):
        sys.modules[f"imported_meanwhile_{len(sys.modules)}"] = ModuleType("meanwhile")
        return foreign(name, root)

    monkeypatch.setattr(code, "_foreign", imported_meanwhile)
    assert load("clerk:run", tmp_path)() == 7
