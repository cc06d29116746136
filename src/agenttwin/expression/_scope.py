"""What an expression sees while it runs: arguments, roots, and the steps it may still take."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from agenttwin.expression._errors import BudgetExceeded, EvaluationError

Dynamic: TypeAlias = Any
"""A value whose kind shows only when it is met: JSON, or a node of a tree."""

DEFAULT_BUDGET: Final = 100_000
"""Steps of one tool call: more than a handler over thousands of records takes, and well under a second."""


class Lazy:
    """A value that is computed when it is first read, and once; a failure is computed again."""

    __slots__ = ("_compute", "_value")

    def __init__(self, compute: Callable[[], object]) -> None:
        self._compute: Callable[[], object] | None = compute
        self._value: object = None

    def get(self) -> Dynamic:
        """The value; EvaluationError as `compute` raises it, or where it needs itself or too many others."""
        compute = self._compute
        if compute is None:
            return self._value
        self._compute = _reads_itself
        try:
            self._value = compute()
        except RecursionError:
            raise EvaluationError("too many values need one another") from None
        finally:
            self._compute = compute
        self._compute = None
        return self._value


def _reads_itself() -> object:
    raise EvaluationError("a value is needed to compute itself")


class Meter:
    """The steps that are left; one meter serves a whole tool call."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Takes `steps` off; BudgetExceeded where that is more than is left, from then on always."""
        self.left -= steps
        if self.left < 0:
            raise BudgetExceeded("the call takes more steps than its budget allows")


class Scope:
    """The names of one tool call. Mutable: `bind` adds names, evaluating spends steps.

    `args` are the call's arguments. `roots` maps the other names to values or Lazy; the dict is used as
    given, so a root may be replaced between two evaluations. `budget` steps are shared with all children.
    """

    __slots__ = ("args", "frame", "meter", "roots")

    def __init__(
        self, args: dict[str, Any], roots: dict[str, object], budget: int | Meter = DEFAULT_BUDGET
    ) -> None:
        self.args = args
        self.roots = roots
        self.meter = budget if isinstance(budget, Meter) else Meter(budget)
        self.frame: list[Any] = []  # the variables of the macros of the expression that is being evaluated

    @property
    def budget(self) -> int:
        """Steps left."""
        return max(self.meter.left, 0)

    def bind(self, name: str, value: object) -> None:
        """Sets a root of this scope, from now on."""
        self.roots[name] = value

    def child(self, /, **extra: object) -> "Scope":
        """A scope with further roots, which this one does not see. They share the budget."""
        return Scope(self.args, self.roots | extra, self.meter)
