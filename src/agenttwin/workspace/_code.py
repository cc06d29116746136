"""Code from outside, named as `module:function`: agents, adapters, evaluators."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from agenttwin.errors import NotFound
from agenttwin.values import nearest

ADAPTERS = "agenttwin.adapters"
EVALUATORS = "agenttwin.evaluators"


def load(target: str, root: Path) -> Callable[..., Any]:
    """The function that ``target`` names; the workspace's folder comes first on the import path.

    A module of that folder which an earlier workspace loaded under the same name is loaded anew.
    """
    module_name, _, attribute = target.partition(":")
    folder = str(root)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    _forget_foreign(module_name, root)
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and not module_name.startswith(error.name):
            raise
        raise NotFound("no_such_module", f"There is no module {module_name!r} for {target!r}.") from None
    for name in attribute.split("."):
        if not hasattr(found, name):
            close = nearest(name, [word for word in vars(found) if not word.startswith("_")])
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("no_such_function", f"{module_name!r} has no {name!r}.{hint}")
        found = getattr(found, name)
    if not callable(found):
        raise NotFound("no_such_function", f"{target!r} is no function.")
    function: Callable[..., Any] = found
    return function


def registered(group: str, declared: dict[str, str], root: Path) -> dict[str, Callable[..., Any]]:
    """The functions of an entry point group, and those that `agenttwin.yaml` names, which win."""
    found = {point.name: point.load() for point in entry_points(group=group)}
    return {**found, **{name: load(target, root) for name, target in declared.items()}}


def _forget_foreign(name: str, root: Path) -> None:
    """Drops a module of the same name that belongs to another workspace (two of them in one process)."""
    top = name.partition(".")[0]
    module = sys.modules.get(top)
    here = (root / f"{top}.py", root / top / "__init__.py")
    if module is None or not any(path.is_file() for path in here):
        return
    if Path(getattr(module, "__file__", None) or ".").resolve() in [path.resolve() for path in here]:
        return
    for loaded in [key for key in sys.modules if key == top or key.startswith(f"{top}.")]:
        del sys.modules[loaded]
    sys.path.remove(str(root))
    sys.path.insert(0, str(root))
