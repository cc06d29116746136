"""The functions of CEL as written here: one row each, read by the compiler, the reference and the tests.

Every function may be called `f(x, …)` or `x.f(…)`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agenttwin.expression import _library as library
from agenttwin.expression._calculate import calculate
from agenttwin.expression._errors import EvaluationError
from agenttwin.expression._names import Run
from agenttwin.expression._numbers import NUMERIC, from_integer
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.expression._text import text_form
from agenttwin.expression._time import duration, iso_time, timestamp
from agenttwin.values import Obj, describe, merge


@dataclass(frozen=True, slots=True)
class Kind:
    """What an argument may be."""

    name: str
    types: frozenset[type]


TEXT = Kind("text", frozenset({str}))
NUMBER = Kind("a number", NUMERIC)
LIST = Kind("a list", library.LISTS)
OBJECT = Kind("an object", frozenset({dict, Obj}))
LIST_OR_TEXT = Kind("text or a list", TEXT.types | LIST.types)
SIZED = Kind("text, a list or an object", LIST_OR_TEXT.types | OBJECT.types)
ANY = Kind("any value", SIZED.types | NUMERIC | {bool, type(None)})

MAX_ARGUMENTS: Final = 8  # of a function that takes as many as there are


def arity_of(usage: str) -> range:
    """How many arguments a usage such as `round(x, decimals?)` or `min(x, …)` allows."""
    arguments = usage.partition("(")[2].rstrip(")").split(", ")
    repeats, optional = "…" in arguments, sum(argument.endswith("?") for argument in arguments)
    least = len(arguments) - optional - repeats
    return range(least, (MAX_ARGUMENTS if repeats else len(arguments)) + 1)


@dataclass(frozen=True, slots=True)
class Function:
    """One function: how it is called, what it gives, an expression that is true, and the Python that does it.

    `takes` holds a kind for each argument; the last one stands for all that may follow. `walks`: each
    element of a list or object costs a step. `early` checks a text that is written out in the expression,
    the argument of that index, when the expression is read.
    """

    usage: str
    summary: str
    example: str
    apply: Callable[..., Dynamic]
    takes: tuple[Kind, ...]
    walks: bool = False
    early: tuple[int, Callable[[str], object]] | None = None

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.usage.partition("(")[0]

    @property
    def arity(self) -> range:
        """How many arguments it takes."""
        return arity_of(self.usage)

    def kind(self, index: int) -> Kind:
        """What its argument number `index` may be."""
        return self.takes[min(index, len(self.takes) - 1)]


def _ascending(values: library.List) -> list[Dynamic]:
    return sorted(library.alike(values))


def _tuples(*lists: library.List) -> list[Dynamic]:
    return [list(elements) for elements in zip(*lists, strict=False)]


# fmt: off
_TABLE: Final = (
    # any value
    Function("size(x)", "Characters of a text, elements of a list, members of an object.",
             "size('naïve') == 5", len, (SIZED,)),
    Function("string(x)", "The value as it stands in a text: null is empty, objects are JSON.",
             "string(1.50) == '1.5'", text_form, (ANY,)),
    Function("int(x, fallback?)", "A number cut towards zero, or the integer that a text holds.",
             "int('12') == 12", library.or_fallback(library.to_int), (ANY,)),
    Function("double(x, fallback?)", "The number, or the one that a text holds.",
             "double('1e3') == 1000", library.or_fallback(library.to_double), (ANY,)),
    Function("bool(x, fallback?)", "The boolean, or the one that a text holds: true, false, t, f, 1, 0.",
             "bool('true')", library.or_fallback(library.to_bool), (ANY,)),
    # numbers
    Function("abs(x)", "The number without its sign.",
             "abs(-2.5) == 2.5", abs, (NUMBER,)),
    Function("round(x, decimals?)", "Rounded half to even, as the double that x is.",
             "round(2.675, 2) == 2.67", library.rounded, (NUMBER,)),
    Function("floor(x)", "The greatest integer that is not above x.",
             "floor(-1.5) == -2", lambda x: from_integer(math.floor(x)), (NUMBER,)),
    Function("ceil(x)", "The least integer that is not below x.",
             "ceil(1.2) == 2", lambda x: from_integer(math.ceil(x)), (NUMBER,)),
    Function("min(x, …)", "The least of the arguments, or of one list.",
             "min([3, 1, 2]) == 1", library.extreme(min), (ANY,), walks=True),
    Function("max(x, …)", "The greatest of the arguments, or of one list.",
             "max(3, 4) == 4", library.extreme(max), (ANY,), walks=True),
    Function("fixed(x, decimals)", "The number as text with so many decimals.",
             "fixed(12.5, 2) == '12.50'", library.fixed, (NUMBER,)),
    Function("calculate(text, fallback?)", "The value of arithmetic in a text: numbers, + - * / % and ( ).",
             "calculate('2 * (3 + 4)') == 14", library.or_fallback(calculate), (TEXT, ANY)),
    # text
    Function("contains(x, part)", "Whether a text holds the text, or a list an equal element.",
             "'refund'.contains('fun')", library.contains, (LIST_OR_TEXT, ANY), walks=True),
    Function("startsWith(text, start)", "Whether the text begins so.",
             "'ORD-7'.startsWith('ORD-')", str.startswith, (TEXT,)),
    Function("endsWith(text, end)", "Whether the text ends so.",
             "'a.pdf'.endsWith('.pdf')", str.endswith, (TEXT,)),
    Function("matches(text, pattern)", "Whether the RE2 pattern occurs in the text.",
             "'ORD-7'.matches('^ORD-[0-9]+$')", library.matches, (TEXT,), early=(1, library.check_pattern)),
    Function("lower(text)", "The text in lower case.",
             "lower('ÉA') == 'éa'", str.lower, (TEXT,)),
    Function("upper(text)", "The text in upper case.",
             "upper('éa') == 'ÉA'", str.upper, (TEXT,)),
    Function("trim(text)", "The text without white space at its ends.",
             "trim(' a ') == 'a'", str.strip, (TEXT,)),
    Function("replace(text, old, new, limit?)", "The text with the first `limit`, or all, of `old` replaced.",
             "'a-b-c'.replace('-', '+', 1) == 'a+b-c'", library.replace, (TEXT, TEXT, TEXT, NUMBER)),
    Function("split(text, separator, limit?)", "The pieces between separators, at most `limit` of them.",
             "'a,b,c'.split(',', 2) == ['a', 'b,c']", library.split, (TEXT, TEXT, NUMBER)),
    Function("join(texts, separator?)", "The texts of a list as one.",
             "['a', 'b'].join('-') == 'a-b'", library.join, (LIST, TEXT), walks=True),
    Function("substring(text, start, end?)", "The characters from `start` to before `end`.",
             "'refund'.substring(2, 5) == 'fun'", library.substring, (TEXT, NUMBER)),
    Function("indexOf(text, part, start?)", "Where `part` stands first, or -1.",
             "'refund'.indexOf('fun') == 2", library.index_of, (TEXT, TEXT, NUMBER)),
    # lists and objects
    Function("sum(numbers)", "The sum of a list, added from the left.",
             "sum([1, 2.5]) == 3.5", library.total, (LIST,), walks=True),
    Function("count(list, value?)", "How many elements there are, or how many equal `value`.",
             "count(['a', 'b', 'a'], 'a') == 2", library.count, (LIST, ANY), walks=True),
    Function("sorted(list)", "The list in ascending order: only numbers, only texts or only booleans.",
             "sorted([2, 1.5]) == [1.5, 2]", _ascending, (LIST,), walks=True),
    Function("reverse(list)", "The list from back to front.",
             "reverse([1, 2]) == [2, 1]", lambda x: list(x)[::-1], (LIST,), walks=True),
    Function("distinct(list)", "The list without the elements that equal an earlier one.",
             "distinct([1, 2, 1.0]) == [1, 2]", library.distinct, (LIST,), walks=True),
    Function("flatten(list)", "The list with the lists in it replaced by their elements.",
             "flatten([[1, 2], 3]) == [1, 2, 3]", library.flatten, (LIST,), walks=True),
    Function("slice(list, start, end?)", "The elements from `start` to before `end`, if there are any.",
             "slice([1, 2, 3], 1, 9) == [2, 3]", library.part, (LIST, NUMBER), walks=True),
    Function("zip(list, list, …)", "Lists of what stands at the same index, up to the end of the shortest.",
             "zip([1, 2], ['a', 'b']) == [[1, 'a'], [2, 'b']]", _tuples, (LIST,), walks=True),
    Function("keys(object)", "The keys of an object, in its order.",
             "keys({'b': 1, 'a': 2}) == ['b', 'a']", list, (OBJECT,), walks=True),
    Function("values(object)", "The values of an object, in its order.",
             "values({'b': 1, 'a': 2}) == [1, 2]", library.members, (OBJECT,), walks=True),
    Function("merge(object, patch)", "The object patched as RFC 7396 says: null removes a member.",
             "merge({'a': 1, 'b': 2}, {'b': null}) == {'a': 1}", merge, (OBJECT,), walks=True),
    # time
    Function("timestamp(text, fallback?)", "Seconds since 1970 of an RFC 3339 time or a date.",
             "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01') == 86400",
             library.or_fallback(timestamp), (TEXT, ANY), early=(0, timestamp)),
    Function("duration(text, fallback?)", "Seconds of a span of time: 1h30m, 250ms, P30D, PT24H.",
             "duration('1h30m') == 5400", library.or_fallback(duration), (TEXT, ANY), early=(0, duration)),
    Function("isoTime(seconds)", "The RFC 3339 time in UTC of seconds since 1970.",
             "isoTime(0) == '1970-01-01T00:00:00Z'", iso_time, (NUMBER,)),
)
# fmt: on

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({row.name: row for row in _TABLE})

CONTAINERS: Final = LIST.types | OBJECT.types


def call(function: Function, arguments: tuple[Run, ...]) -> Run:
    """The function applied to what `arguments` give; it costs a step, and one for each element it walks."""
    if len(arguments) == 1 and not function.walks:
        return _call_one(function, arguments[0])
    kinds = [function.kind(index) for index in range(len(arguments))]
    walks, apply = function.walks, function.apply

    def run(scope: Scope) -> Dynamic:
        values = [argument(scope) for argument in arguments]
        steps = 1
        for value, kind in zip(values, kinds, strict=True):
            if type(value) not in kind.types:
                raise _unfit(function, kind, value)
            if walks and type(value) in CONTAINERS:
                steps += len(value)
        scope.meter.spend(steps)
        return apply(*values)

    return run


def _call_one(function: Function, argument: Run) -> Run:
    """As call, for the most common case."""
    kind, apply = function.takes[0], function.apply
    types = kind.types

    def run(scope: Scope) -> Dynamic:
        value = argument(scope)
        if type(value) not in types:
            raise _unfit(function, kind, value)
        scope.meter.spend(1)
        return apply(value)

    return run


def _unfit(function: Function, kind: Kind, value: Dynamic) -> EvaluationError:
    return EvaluationError(f"{function.usage} takes {kind.name}, not {describe(value)}")
