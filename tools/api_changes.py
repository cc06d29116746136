"""Holds the API against its document as it was published: what would break who uses it, and what is new.

`python -m tools.api_changes` writes docs/openapi.json where nothing breaks; `--break` writes it all
the same, for a change that the changelog tells of.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agenttwin.server import openapi_document

ROOT: Final = Path(__file__).parents[1]
PUBLISHED: Final = ROOT / "docs/openapi.json"
METHODS: Final = ("get", "put", "post", "delete", "patch")
BOUNDS: Final = (("minimum", 1), ("minLength", 1), ("minItems", 1), ("maximum", -1), ("maxLength", -1))
"""Bounds of what is taken, and in which direction they get narrower."""


def written(document: dict[str, Any]) -> str:
    """A document as it is committed."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def breaking(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What of an API would no longer work for who uses it as the old document says; one line for each."""
    return list(dict.fromkeys(_Held(old, new).paths()))


class _Held:
    """Two documents side by side. Each method gives what breaks."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self._old, self._new = old, new
        self._open: set[tuple[str, str, bool]] = set()

    def paths(self) -> Iterator[str]:
        for path, methods in self._old["paths"].items():
            if path not in self._new["paths"]:
                yield f"{path} is gone"
                continue
            for method in METHODS:
                if method not in methods:
                    continue
                if method not in self._new["paths"][path]:
                    yield f"{method.upper()} {path} is gone"
                else:
                    yield from self._operation(
                        f"{method.upper()} {path}", methods[method], self._new["paths"][path][method]
                    )

    def _operation(self, where: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
        yield from self._parameters(where, old.get("parameters", ()), new.get("parameters", ()))
        taken, takes = old.get("requestBody"), new.get("requestBody")
        if taken and not takes:
            yield f"{where} takes no body any more"
        elif takes and takes.get("required") and not (taken and taken.get("required")):
            yield f"{where} needs a body"
        if taken and takes:
            yield from self._contents(f"{where} body", taken, takes, told=False)
        for status, response in old["responses"].items():
            if status.startswith("2") and status not in new["responses"]:
                yield f"{where} no longer answers {status}"
            elif status in new["responses"]:
                yield from self._contents(f"{where} {status}", response, new["responses"][status], told=True)

    def _parameters(self, where: str, old: Any, new: Any) -> Iterator[str]:
        before = {(item["in"], item["name"]): item for item in old}
        after = {(item["in"], item["name"]): item for item in new}
        for key, item in before.items():
            name = f"{where} {key[0]} {key[1]}"
            if key not in after:
                yield f"{name} is gone"
            else:
                yield from self._schema(name, item["schema"], after[key]["schema"], told=False)
        for key, item in after.items():
            if item.get("required") and not before.get(key, {}).get("required"):
                yield f"{where} {key[0]} {key[1]} is needed"

    def _contents(self, where: str, old: dict[str, Any], new: dict[str, Any], *, told: bool) -> Iterator[str]:
        for kind, content in old.get("content", {}).items():
            if kind not in new.get("content", {}):
                yield f"{where} is no {kind} any more"
            else:
                found = new["content"][kind]
                yield from self._schema(where, content.get("schema", {}), found.get("schema", {}), told=told)

    def _schema(self, where: str, old: Any, new: Any, *, told: bool) -> Iterator[str]:
        """``told``: the server says it, and may say less kinds of things; otherwise it takes it, and may
        take more."""
        key = (str(old.get("$ref", id(old))), str(new.get("$ref", id(new))), told)
        if key in self._open:
            return
        self._open.add(key)
        old, new = _resolved(self._old, old), _resolved(self._new, new)
        before, after = _kinds(self._old, old), _kinds(self._new, new)
        lost = _beyond(after, before) if told else _beyond(before, after)
        if lost and "any" not in (before if told else after):
            yield f"{where} {'may be' if told else 'may no longer be'} {', '.join(sorted(lost))}"
        if not told:
            yield from _narrower(where, old, new)
        yield from self._fields(where, old, new, told=told)
        if "items" in old and "items" in new:
            yield from self._schema(f"{where}[]", old["items"], new["items"], told=told)
        inner = _objects(self._old, old), _objects(self._new, new)
        if len(inner[0]) == len(inner[1]):
            for one, other in zip(*inner, strict=True):
                yield from self._schema(where, one, other, told=told)

    def _fields(self, where: str, old: Any, new: Any, *, told: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            if name in after:
                yield from self._schema(f"{where}.{name}", schema, after[name], told=told)
            elif told or new.get("additionalProperties") is False:
                yield f"{where}.{name} is gone"
        was, now = set(old.get("required", ())), set(new.get("required", ()))
        if told:
            yield from (f"{where}.{name} may be missing" for name in sorted(was - now) if name in after)
        else:
            yield from (f"{where}.{name} is needed" for name in sorted(now - was))


def _resolved(document: dict[str, Any], schema: Any) -> Any:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _objects(document: dict[str, Any], schema: Any) -> list[Any]:
    """The alternatives that are made of something."""
    made = ("object", "array")
    return [item for item in schema.get("anyOf", ()) if _resolved(document, item).get("type") in made]


def _kinds(document: dict[str, Any], schema: Any) -> set[str]:
    """What a value may be: its words where they are counted, its types otherwise."""
    schema = _resolved(document, schema)
    if "anyOf" in schema:
        return {kind for item in schema["anyOf"] for kind in _kinds(document, item)}
    if "enum" in schema or "const" in schema:
        return {json.dumps(word) for word in schema.get("enum", [schema.get("const")])}
    kind = schema.get("type", "any")
    return set(kind) if isinstance(kind, list) else {kind}


def _beyond(kinds: set[str], allowed: set[str]) -> set[str]:
    """Those that are not among the allowed ones; a word is a string."""
    words = {kind for kind in kinds if kind.startswith('"')} if "string" in allowed else set()
    return kinds - allowed - words


def _narrower(where: str, old: Any, new: Any) -> Iterator[str]:
    for name, sign in BOUNDS:
        if name in new and (name not in old or (new[name] - old[name]) * sign > 0):
            yield f"{where}: {name} is {new[name]}"
    if "pattern" in new and new["pattern"] != old.get("pattern"):
        yield f"{where}: pattern is {new['pattern']}"


def main() -> int:
    """Writes the document; 1 where that would break who uses the API."""
    fresh = openapi_document()
    if PUBLISHED.exists() and "--break" not in sys.argv[1:]:
        found = breaking(json.loads(PUBLISHED.read_text("utf-8")), fresh)
        if found:
            print("These break who uses the API:", *found, sep="\n  ")
            return 1
    PUBLISHED.write_text(written(fresh), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
