"""Which names a tool's templates may use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agenttwin.expression import Names
from agenttwin.twin._model import Tool

ROOTS: Final = frozenset(
    {"args", "state", "value", "settings", "tenant", "now", "id", "call", "idempotency_key"}
)
"""The roots of handlers; fault bodies see `result` too."""

KEY_ROOTS: Final = frozenset({"args", "tenant", "settings"})
"""The roots of an effect key: it must be the same whenever the same effect is asked for."""

RECORD_ROOTS: Final = frozenset({"args", "state", "tenant", "settings"})
"""The roots of a tenant path: it is resolved before the handler runs."""


def arguments_of(tool: Tool) -> frozenset[str] | None:
    """The arguments the tool's schema declares; None where it declares none by name."""
    properties = (tool.input_schema or {}).get("properties")
    return frozenset(properties) if isinstance(properties, dict) else None


def handler_names(tool: Tool, lets: Iterable[str] = (), read: set[str] | None = None) -> Names:
    """What the handler's templates see; ``read`` gathers the roots that they read."""
    return Names(arguments=arguments_of(tool), roots=ROOTS | frozenset(lets), read=read)


def key_names(tool: Tool) -> Names:
    """What the effect key sees."""
    return Names(arguments=arguments_of(tool), roots=KEY_ROOTS)


def refused_key_names(tool: Tool) -> Names:
    """What the errors of an idempotency key see."""
    return Names(arguments=arguments_of(tool), roots=KEY_ROOTS | {"idempotency_key"})


def record_names(tool: Tool) -> Names:
    """What the tenant path sees."""
    return Names(arguments=arguments_of(tool), roots=RECORD_ROOTS)


def fault_names(tool: Tool | None = None) -> Names:
    """What the message and body of a fault see; a rule that may befall any tool may meet any argument."""
    return Names(arguments=arguments_of(tool) if tool else None, roots=ROOTS | {"result"})


def condition(text: str) -> str:
    """A CEL expression as written, with or without `{= … }` around it."""
    stripped = text.strip()
    return stripped[2:-1] if stripped.startswith("{=") and stripped.endswith("}") else stripped
