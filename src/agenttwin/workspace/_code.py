"""Code from outside, named as `module:function`: agents, adapters, evaluators."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from typing import Any, Final

from agenttwin.errors import AgentTwinError, NotFound, UsageError, quote
from agenttwin.values import nearest

ADAPTERS: Final = "agenttwin.adapters"
EVALUATORS: Final = "agenttwin.evaluators"

_ROOTS: Final[list[Path]] = []
"""Folders whose code was loaded in this process, latest last."""

_ENTERING: Final = threading.Lock()


def load(target: str, root: Path) -> Callable[..., Any]:
    """The function that ``target`` names; the workspace's folder comes first on the import path.

    Modules that another workspace loaded in this process under a name that this folder has too are loaded
    anew. NotFound where there is no such module or function, UsageError where importing it fails.
    """
    name, _, attribute = target.partition(":")
    _enter(root.resolve())
    found: Any = _module(name, target)
    inside = name
    for part in attribute.split("."):
        if not hasattr(found, part):
            close = nearest(part, [word for word in dir(found) if not word.startswith("_")])
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("no_such_function", f"There is no {part!r} in {inside!r}.{hint}")
        found, inside = getattr(found, part), f"{inside}{':' if inside == name else '.'}{part}"
    if not callable(found):
        raise NotFound("no_such_function", f"{target!r} is no function.")
    function: Callable[..., Any] = found
    return function


def registered(group: str, declared: Mapping[str, str], root: Path) -> dict[str, Callable[..., Any]]:
    """The functions of an entry point group, and those that `agenttwin.yaml` names, which win."""
    points = {point.name: point for point in entry_points(group=group)}
    found = {name: _loaded(point) for name, point in points.items() if name not in declared}
    return {**found, **{name: load(target, root) for name, target in declared.items()}}


def names(group: str, declared: Mapping[str, str]) -> tuple[str, ...]:
    """The names under which ``registered`` finds functions, without loading any."""
    return tuple(dict.fromkeys((*declared, *sorted(entry_points(group=group).names))))


def _module(name: str, target: str) -> Any:
    importlib.invalidate_caches()  # a file that was written a moment ago counts
    try:
        return importlib.import_module(name)
    except (AgentTwinError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a script without a `__main__` guard raises SystemExit
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise NotFound("no_such_module", f"There is no module {error.name!r} for {target!r}.") from None
        raise _broken(f"Importing {name!r}", error) from error


def _loaded(point: EntryPoint) -> Callable[..., Any]:
    try:
        function: Callable[..., Any] = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _broken(f"Loading {point.name!r}, an entry point of {point.value!r},", error) from error
    return function


def _broken(act: str, error: BaseException) -> UsageError:
    """Says where code from outside failed: its own last line, not the machinery's."""
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    line = getattr(error, "lineno", None) or frames[-1].lineno
    file = getattr(error, "filename", None) or frames[-1].filename
    what = f"{type(error).__name__}: {quote(str(error))[1:-1]}"
    return UsageError("broken_module", f"{act} failed at {Path(file).name}:{line}: {what}.")


def _enter(root: Path) -> None:
    """Puts the folder first on the import path, and forgets what it would be confused with."""
    with _ENTERING:
        if _ROOTS[-1:] == [root] and sys.path[:1] == [str(root)]:
            return
        known = list(sys.modules)  # at once: other threads import meanwhile
        for name in [key for key in known if _foreign(key, root)]:
            sys.modules.pop(name, None)
        _ROOTS[:] = [folder for folder in _ROOTS if folder != root] + [root]
        sys.path[:] = [str(root), *(entry for entry in sys.path if entry != str(root))]


def _foreign(name: str, root: Path) -> bool:
    """Whether a loaded module belongs to another workspace, while this one has code under its name."""
    top = name.partition(".")[0]
    if not any(path.exists() for path in (root / f"{top}.py", root / top)):
        return False
    files = list(_files(sys.modules.get(top)))
    return any(file.is_relative_to(other) for file in files for other in _ROOTS if other != root) and not any(
        file.is_relative_to(root) for file in files
    )


def _files(module: Any) -> Iterator[Path]:
    """Where a module's code lies: its file, or the folders of a package without one."""
    file = getattr(module, "__file__", None)
    yield from (Path(path).resolve() for path in ([file] if file else getattr(module, "__path__", ())))
