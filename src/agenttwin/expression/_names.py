"""Which names a text may use, and what each of them reads."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from agenttwin.expression._errors import EvaluationError, TemplateError, UnknownName
from agenttwin.expression._scope import Dynamic, Lazy, Scope
from agenttwin.values import MISSING, nearest

Run: TypeAlias = Callable[[Scope], Dynamic]
"""A compiled piece: what it gives in a scope; EvaluationError where it gives nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names in reach of a text.

    `arguments` are those that the tool's schema declares; None where it declares none, so that any name
    that is no root may be an argument. `roots` are the other names: state, value, tenant …, let, forEach.
    `read` gathers, where it is given, the roots that the texts compiled with these names read.
    """

    arguments: frozenset[str] | None = None
    roots: frozenset[str] = frozenset()
    read: set[str] | None = field(default=None, compare=False)

    def with_roots(self, *names: str) -> "Names":
        """These names and further roots."""
        return replace(self, roots=self.roots | frozenset(names))


class References:
    """Resolves the names of one text and remembers them; `shadowed` are arguments that hid a root."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.used: set[str] = set()
        self.shadowed: set[str] = set()

    def reader(self, name: str, shown: str, position: int) -> Run:
        """Reads `name`; at run time an EvaluationError that says `shown` is missing where nothing is there.

        A declared argument wins over a root of the same name; `$name` is the root. TemplateError where no
        such name is in reach.
        """
        if self._is_argument(name, shown, position):
            return _argument(name, shown)
        root = name.removeprefix("$")
        return _arguments if root == "args" else _root(root, shown)

    def optional_reader(self, name: str, shown: str, position: int) -> Run:
        """As reader, but gives MISSING where nothing is there."""
        if self._is_argument(name, shown, position):
            return _optional_argument(name)
        root = name.removeprefix("$")
        return _arguments if root == "args" else _optional_root(root)

    def _is_argument(self, name: str, shown: str, position: int) -> bool:
        """Whether `name` is an argument, else it is a root; remembers it."""
        arguments, roots = self.names.arguments, self.names.roots
        root = name.removeprefix("$")
        escaped = root != name and root in roots
        if not escaped and arguments and name in arguments:
            self.used.add(name)
            if name in roots:
                self.shadowed.add(name)
            return True
        if root not in roots and (arguments is not None or root != name):
            raise self._unknown(name, shown, position)
        self.used.add(root)
        if self.names.read is not None and root in roots:
            self.names.read.add(root)
        return root not in roots

    def _unknown(self, name: str, shown: str, position: int) -> TemplateError:
        words = (self.names.arguments or frozenset()) | self.names.roots
        if name.startswith("$"):
            words = frozenset({f"${root}" for root in self.names.roots})
        kinds = "no root" if name.startswith("$") else "neither an argument nor a root"
        guess = nearest(name, sorted(words))
        return UnknownName(f"{shown}: {name!r} is {kinds}", position, value=name, nearest=guess)


def _arguments(scope: Scope) -> Dynamic:
    return scope.args


def _argument(name: str, shown: str) -> Run:
    def read(scope: Scope) -> Dynamic:
        try:
            return scope.args[name]
        except KeyError:
            raise EvaluationError(f"{shown} is missing") from None

    return read


def _optional_argument(name: str) -> Run:
    def read(scope: Scope) -> Dynamic:
        return scope.args.get(name, MISSING)

    return read


def _root(name: str, shown: str) -> Run:
    def read(scope: Scope) -> Dynamic:
        value = scope.roots.get(name, MISSING)
        if type(value) is Lazy:
            value = value.get()
        if value is MISSING:
            raise EvaluationError(f"{shown} is missing")
        return value

    return read


def _optional_root(name: str) -> Run:
    def read(scope: Scope) -> Dynamic:
        value = scope.roots.get(name, MISSING)
        return value.get() if type(value) is Lazy else value

    return read
