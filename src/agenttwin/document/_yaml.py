"""YAML text → composed value: libyaml's parser, with its complaints in plain words."""

import re
from collections.abc import Mapping
from typing import Final

from yaml import MarkedYAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it
from yaml.reader import ReaderError

from agenttwin.document._compose import Composed, Flaw, TextError, compose
from agenttwin.document._limits import Limits
from agenttwin.errors import Problem, quote

_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)

# What libyaml says → what we say. {char} is the character there, {line} the line where the thing began.
_COMPLAINTS: Final[Mapping[str, str]] = {
    "found character that cannot start any token": "a plain text cannot begin with {char}; put it in quotes",
    "mapping values are not allowed in this context": "a ':' cannot stand here; put the text in quotes",
    "could not find expected ':'": "the key of line {line} lacks its ':'",
    "did not find expected ',' or ']'": "the list of line {line} goes on with ',' or ends with ']'",
    "did not find expected ',' or '}'": "the mapping of line {line} goes on with ',' or ends with '}}'",
    "did not find expected key": "expected a key of the mapping of line {line}, indented alike",
    "did not find expected '-' indicator": "expected a '-' of the list of line {line}, indented alike",
    "did not find expected node content": "expected a value",
    "did not find expected <document start>": "expected the end of the document",
    "found unexpected end of stream": "the quotes of line {line} are not closed",
    "found unexpected document indicator": "the quotes of line {line} are not closed",
    "found unknown escape character": "no such escape in double quotes; use single quotes or \\\\",
    "found invalid Unicode character escape code": "the escape is no character; write the character itself",
    "block sequence entries are not allowed in this context": "a list begins on a line of its own",
    "mapping keys are not allowed in this context": "a key cannot stand here",
}


def compose_yaml(text: str, limits: Limits) -> Composed:
    """The one YAML document in `text`; TextError where it is no YAML or passes a limit."""
    try:
        return compose(iter(CParser(text).get_event, None), limits)
    except ReaderError:
        raise TextError(_unprintable(text)) from None
    except MarkedYAMLError as error:
        raise TextError(_complaint(error, text, limits)) from None


def _unprintable(text: str) -> Flaw:
    found = _UNPRINTABLE.search(text)
    offset = found.start() if found else 0
    return _flaw("syntax_error", f"the character {text[offset]!a} cannot stand in YAML", offset)


def _complaint(error: MarkedYAMLError, text: str, limits: Limits) -> Flaw:
    mark = error.problem_mark or error.context_mark
    offset = mark.index if mark else 0
    began = error.context_mark.line + 1 if error.context_mark else 1
    said, char = error.problem or "", text[offset : offset + 1]
    if said == "exceeded maximum nesting depth":
        return _flaw("document_too_deep", f"the text nests deeper than {limits.depth} levels", offset)
    if char == "\t" or "tab character" in said:
        return _flaw("syntax_error", "a tab cannot indent; use spaces", offset)
    told = _COMPLAINTS[said].format(char=quote(char), line=began) if said in _COMPLAINTS else said
    return _flaw("syntax_error", told, offset)


def _flaw(code: str, message: str, offset: int) -> Flaw:
    return Flaw(problem=Problem(code=code, message=message), offset=offset)
