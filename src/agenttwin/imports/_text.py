"""Reading JSON and YAML of others, which need not keep to what AgentTwin asks of its own documents."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import orjson
import yaml

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.values import MAX_INTEGER

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_DEPTH: Final = 200
MAX_NODES: Final = 1_000_000
"""Values of a document, those that an alias stands for counted once."""


def read_loose(data: bytes, *, file: str) -> Any:
    """The value of a JSON or YAML text, with keys as text, and numbers that JSON holds exactly.

    Anchors and aliases are followed. AgentTwinError for what is neither; LimitExceeded above `MAX_BYTES`,
    `MAX_DEPTH` or `MAX_NODES`.
    """
    if len(data) > MAX_BYTES:
        raise LimitExceeded("document_too_large", f"{file} has more than {MAX_BYTES:,} bytes.")
    try:
        return tame(orjson.loads(data), file)
    except orjson.JSONDecodeError as error:
        if data.lstrip()[:1] in (b"{", b"[") and b"\n" not in data.strip():
            raise AgentTwinError("not_json", f"{file} is no JSON: {error}.") from None
    try:
        _check_shape(data, file)
        return tame(yaml.load(data, _Loader), file)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        told = " ".join(str(error).split())[:300]
        raise AgentTwinError("not_json", f"{file} is neither JSON nor YAML: {told}") from None


class _Loader(yaml.CSafeLoader):
    """YAML 1.2: `yes`, `no` and dates are texts."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def _integer(loader: Any, node: Any) -> int:
    return int(loader.construct_scalar(node))  # no octal: `010` is 10


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def _check_shape(data: bytes, file: str) -> None:
    """Counts depth and values before anything is built: the parser's own recursion has no limit."""
    depth = nodes = 0
    for event in yaml.parse(data, yaml.CSafeLoader):
        nodes += isinstance(event, yaml.NodeEvent)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            what = f"is nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else f"has {MAX_NODES:,} values"
            raise LimitExceeded("document_too_large", f"{file} {what}.")


def tame(value: Any, file: str) -> Any:
    """The value with text for keys, and without numbers that JSON does not hold; shared parts stay shared."""
    done: dict[int, Any] = {}
    held: list[Any] = []  # ids stay taken while this runs

    def tamed(item: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise LimitExceeded("document_too_large", f"{file} is nested deeper than {MAX_DEPTH}.")
        if isinstance(item, dict | list):
            if id(item) in done:
                return done[id(item)]
            held.append(item)
            made: Any = {} if isinstance(item, dict) else []
            done[id(item)] = made
            if isinstance(item, dict):
                made.update({_key(key): tamed(part, depth + 1) for key, part in item.items()})
            else:
                made.extend(tamed(part, depth + 1) for part in item)
            return made
        return _scalar(item)

    return tamed(value, 0)


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return key if isinstance(key, str) else str(key)


def _scalar(item: Any) -> Any:
    if isinstance(item, str):
        return item.encode("utf-8", "replace").decode()
    if item is None or isinstance(item, bool):
        return item
    if isinstance(item, int):
        return item if abs(item) <= MAX_INTEGER else str(item)
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    return str(item)
