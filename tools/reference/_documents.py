"""The kinds of documents: every field with its type, its default, its limits and its meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from agenttwin.lab import schemas
from agenttwin.values import MAX_INTEGER

from ._markdown import code, codes, fence, join, link, page, sentence, slug, table, value

Schema = Mapping[str, Any]

COMPARATORS: Final = ("equals", "notEquals", "in", "exists", "gte", "lte", "gt", "lt", "matches", "contains")
"""Fields that mean nothing where they are not written; together they are explained once."""

ELSEWHERE: Final[Mapping[str, str]] = {
    "FaultRule": "faults.md#fault-rules",
    "When": "faults.md#when",
    "Behavior": "faults.md#behavior",
    "Answer": "faults.md#answer",
    "Commit": "faults.md#commit",
    "Wire": "faults.md#wire",
    "Result": "results.md#results-of-calls",
    "ClaimedOutcome": "results.md#claimed-outcomes",
    "Risk": "twin-definition.md#risks",
}
"""Parts that have their place on another page."""

DEFAULTS: Final[Mapping[tuple[str, str], str]] = {
    ("ErrorAnswer", "status"): "`404` in `notFound`, `400` in `keyError`, else `409`",
    (
        "ErrorAnswer",
        "code",
    ): "`NOT_FOUND`, `PRECONDITION_FAILED`; of a key `IDEMPOTENCY_KEY_MISSING`, `INVALID_IDEMPOTENCY_KEY`, `IDEMPOTENCY_CONFLICT`, `IDEMPOTENCY_IN_FLIGHT`",
    ("ErrorAnswer", "message"): "a plain sentence",
    ("Tool", "risk"): "`READ` for a `read` handler, else `WRITE_IRREVERSIBLE`",
    ("Tool", "role"): "`escalation` where the name contains `escalat`",
    ("MutateHandler", "response"): "the record after, else `{ok: true}`",
    ("ReadHandler", "response"): "the value at `path`",
    ("Operation", "by"): "`1`",
    ("Behavior", "delayMs"): "`0`; `1000` for `delay` and `slow_response`",
}
"""Defaults that a schema cannot tell."""

LEVELS: Final[Mapping[str, str]] = {
    "READ": "It changes nothing.",
    "WRITE_REVERSIBLE": "It changes something that can be changed back.",
    "WRITE_IRREVERSIBLE": "It changes something that cannot be changed back.",
    "EXECUTE": "It runs something: code, a command, a job.",
    "ADMIN": "It may do anything. The twin refuses it with 403 `ADMIN_ONLY` unless the case approves it.",
}


def twin_definition() -> str:
    """The page of TwinDefinition."""
    return page(
        "TwinDefinition",
        "A twin: tools that behave, over a state that changes. One document in one YAML or JSON file, "
        "usually `twin.yaml`. [Writing a twin](../how-to/write-a-twin.md) shows how to get there; "
        "[templates](templates.md) are what texts such as `{order_id}` mean.",
        *_sections("TwinDefinition"),
        "## Risks",
        table(("risk", "meaning"), ((code(name), words) for name, words in _risks())),
        "## Comparators",
        "Several must all hold. With none, something must be there.",
        table(("comparator", "holds where the value is"), _comparators()),
    )


def _risks() -> Iterator[tuple[str, str]]:
    for name in _definitions("TwinDefinition")["Risk"]["enum"]:
        yield name, LEVELS[name]


def _comparators() -> Iterator[tuple[str, ...]]:
    fields = _definitions("TwinDefinition")["Precondition"]["properties"]
    for name in COMPARATORS:
        yield code(name), fields[name]["description"]


def scenario() -> str:
    """The page of Scenario."""
    return page(
        "Scenario",
        "A test: what the agent is told, the world it meets, what goes wrong, and what must be true "
        "afterwards. One document a file. Its [faults](faults.md) and its [expectations](expectations.md) "
        "have pages of their own.",
        *_sections("Scenario"),
    )


def manifest() -> str:
    """The page of Agent."""
    return page(
        "Agent (a manifest)",
        "One version of an agent: what it was told, and with which model. The difference between two "
        "manifests opens every comparison. AgentTwin does not read the fields of `spec` to run the agent; it "
        "hands the whole document to the agent, compares it, and shows it. The same version with other "
        "content is refused.",
        *_sections("Agent"),
    )


def dataset() -> str:
    """The page of Dataset."""
    return page(
        "Dataset",
        "Scenarios pinned by content: `agenttwin check` says when one of them is no longer the one that was "
        "pinned. A dataset's name can be given to `--suite`.",
        *_sections("Dataset"),
    )


def workspace() -> str:
    """The page of agenttwin.yaml."""
    return page(
        "agenttwin.yaml",
        "The workspace: which agents there are, how they are run, and where the documents lie. Every path is "
        "relative to this file, and its folder is on Python's import path. Which of its settings win over "
        "which others is told under [settings](settings.md).",
        fence("yaml", WORKSPACE),
        *_sections("Workspace"),
    )


WORKSPACE: Final = """
agents:
  credit-agent:
    manifests: manifests/*.yaml
    run: {kind: python, target: "agent:run"}
    env: {BILLING_URL: "${BILLING_URL}"}
twins: twin.yaml
scenarios: scenarios/*.yaml
suites:
  smoke: {scenarios: ["adds-*"], tags: [smoke]}
default_suite: smoke
seed: 7
"""


@cache
def schema_of(kind: str) -> Schema:
    """The JSON Schema of a kind of document."""
    found: Schema = schemas()[kind]
    return found


def part(kind: str, name: str, *, leave_out: frozenset[str] = frozenset()) -> str:
    """The table of the fields of one part of a kind."""
    definitions = _definitions(kind)
    return fields(name, definitions[name], definitions, leave_out=leave_out)


def _definitions(kind: str) -> Schema:
    found: Schema = schema_of(kind)["$defs"]
    return found


def _sections(kind: str) -> Iterator[str]:
    """A section for the document and for each part, in the order in which a reader meets them."""
    schema = schema_of(kind)
    definitions = _definitions(kind)
    yield join(("## The document", fields(kind, schema, definitions)))
    for name in _met(schema, definitions):
        if name in ELSEWHERE or _is_expectation(name):
            continue
        body = definitions[name]
        if "properties" in body:
            yield join((f"## {name}", sentence(body.get("description", "")), fields(name, body, definitions)))


def _is_expectation(name: str) -> bool:
    from agenttwin.scenario import EXPECTATIONS

    return any(kind.model.__name__ == name for kind in EXPECTATIONS.values())


def _met(schema: Schema, definitions: Schema) -> list[str]:
    """The names of the parts, each before those that it names itself."""
    seen: list[str] = []

    def meet(node: Any) -> None:
        for name in _references(node):
            if name not in seen:
                seen.append(name)
                meet(definitions[name])

    meet(schema["properties"])
    return seen


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[1]
        for key, inner in node.items():
            if key != "discriminator":
                yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def fields(owner: str, body: Schema, definitions: Schema, *, leave_out: frozenset[str] = frozenset()) -> str:
    """The table of one part's fields."""
    required = body.get("required", ())
    rows = []
    for name, field in body["properties"].items():
        if name in leave_out or (name in COMPARATORS and owner == "Precondition"):
            continue
        rows.append(
            (
                code(name),
                type_of(field, definitions),
                _default(owner, name, field, name in required),
                _meaning(field, definitions),
            )
        )
    shown = table(("field", "type", "default", "meaning"), rows)
    if owner == "Precondition":
        shown += "\n\nand the [comparators](#comparators)."
    return shown


def _default(owner: str, name: str, field: Schema, required: bool) -> str:
    if (owner, name) in DEFAULTS:
        return DEFAULTS[owner, name]
    if required:
        return "**required**"
    default = field.get("default")
    return "–" if default in (None, "", [], {}) else value(default)


def _meaning(field: Schema, definitions: Schema) -> str:
    described = field.get("description")
    if described is None:
        names = list(_references(field))
        described = definitions[names[0]].get("description", "") if len(names) == 1 else ""
    return sentence(described).replace("{id, title, text|content}", "`{id, title, text or content}`")


def type_of(field: Schema, definitions: Schema) -> str:
    """A type in words, with its limits."""
    if "$ref" in field:
        return _named(field["$ref"].rsplit("/", 1)[1], definitions)
    if "const" in field:
        return value(field["const"])
    if "enum" in field:
        return _enumerated(field["enum"])
    for union in ("anyOf", "oneOf"):
        if union in field:
            return _union(field[union], definitions)
    match field.get("type"):
        case "array":
            return f"list of {type_of(field.get('items', {}), definitions)}{_limits(field)}"
        case "object":
            inner = field.get("additionalProperties") or next(
                iter(field.get("patternProperties", {}).values()), None
            )
            of = f" of {type_of(inner, definitions)}" if isinstance(inner, Mapping) else ""
            return f"mapping{of}"
        case "string":
            return f"text{_limits(field)}"
        case "integer":
            return f"whole number{_limits(field)}"
        case "number":
            return f"number{_limits(field)}"
        case "boolean":
            return "true or false"
    return "any value"


def _union(choices: list[Schema], definitions: Schema) -> str:
    words = [type_of(choice, definitions) for choice in choices if choice.get("type") != "null"]
    if len(words) > 10:
        return link("an expectation", "expectations.md")
    return " or ".join(dict.fromkeys(words))


def _named(name: str, definitions: Schema) -> str:
    body = definitions.get(name, {})
    if name in ELSEWHERE:
        return link(name, ELSEWHERE[name])
    if "enum" in body:
        return _enumerated(body["enum"])
    return link(name, f"#{slug(name)}")


def _enumerated(words: list[Any]) -> str:
    if len(words) > 12:
        return link("a kind of fault", "faults.md#all-kinds")
    return codes(words)


_BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}


def _limits(field: Schema) -> str:
    if "minimum" in field and "maximum" in field:
        return f" ({_number(field['minimum'])} to {_number(field['maximum'])})"
    found = [_bound(name, field[name]) for name in _BOUNDS if name in field]
    if "pattern" in field and len(field["pattern"]) < LONG_PATTERN:
        found.append(code(field["pattern"]))
    return f" ({', '.join(found)})" if found else ""


LONG_PATTERN: Final = 32
"""Characters. A longer pattern explains nothing; the meaning of its field does."""


def _bound(name: str, number: Any) -> str:
    if number == 1 and name in ("minLength", "minItems"):
        return "not empty"
    return _BOUNDS[name].format(_number(number))


def _number(found: Any) -> str:
    return "2^53" if found == MAX_INTEGER else f"{found:,}"
