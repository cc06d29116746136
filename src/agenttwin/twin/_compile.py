"""A definition made ready to run: every text compiled, every schema prepared, nothing looked up twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agenttwin.errors import NotFound
from agenttwin.expression import PathTemplate, Template, compile_path, compile_text
from agenttwin.transcript import Risk
from agenttwin.twin._handler import Adapter, CompiledHandler, compile_handler
from agenttwin.twin._idempotency import KeyRules, compile_keys
from agenttwin.twin._model import CustomHandler, MutateHandler, ReadHandler, Tool, TwinDefinition
from agenttwin.twin._names import key_names, record_names
from agenttwin.twin._schema import Check, checker
from agenttwin.values import Json, Path, nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledTool:
    """A tool ready to be called. ``owner_is_record``: its tenant path leads to the handler's own record."""

    name: str
    description: str
    risk: Risk
    needs_approval: bool
    role: str | None
    input_schema: Mapping[str, Json] | None
    check_arguments: Check | None
    check_answer: Check | None
    key_argument: str | None
    key_header: str | None
    keys: KeyRules | None
    effect_key: Template | None
    tenant_path: PathTemplate | None
    owner_is_record: bool
    declares_idempotency: bool
    ignore: tuple[str, ...]
    handler: CompiledHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledTwin:
    """A twin ready to begin cases. ``base`` is the initial state; it is shared and never written to."""

    name: str
    tools: Mapping[str, CompiledTool]
    base: Json
    tenant_key: str | None
    secrets: tuple[str, ...]
    settings: Mapping[str, Json]
    knowledge: tuple[str | int, ...]
    clock_start: str


def compile(
    definition: TwinDefinition, *, adapters: Mapping[str, Adapter] | None = None, initial_state: Json = None
) -> CompiledTwin:
    """Makes a definition ready. ``initial_state`` is the content of the file it names, if it names one.

    NotFound where a custom handler names an adapter that is not registered.
    """
    spec = definition.spec
    known = adapters or {}
    tools = {tool.name: _compile_tool(tool, known, spec.let) for tool in spec.tools}
    state: Json = spec.initial_state if spec.initial_state is not None else initial_state
    return CompiledTwin(
        name=definition.metadata.name,
        tools=MappingProxyType(tools),
        base=state if state is not None else {},
        tenant_key=spec.tenant_key,
        secrets=tuple(spec.secrets),
        settings=MappingProxyType(dict(spec.settings)),
        knowledge=Path.parse(spec.retrieval.state_path).segments,
        clock_start=spec.clock.start,
    )


def _compile_tool(tool: Tool, adapters: Mapping[str, Adapter], shared: Mapping[str, Json]) -> CompiledTool:
    if isinstance(tool.handler, CustomHandler) and tool.handler.adapter not in adapters:
        close = nearest(tool.handler.adapter, adapters)
        hint = f" Did you mean {close!r}?" if close else ""
        message = (
            f"The tool {tool.name!r} needs the adapter {tool.handler.adapter!r}, which is not registered."
        )
        raise NotFound("unknown_adapter", message + hint)
    idempotency = tool.idempotency
    return CompiledTool(
        name=tool.name,
        description=tool.description,
        risk=tool.actual_risk,
        needs_approval=tool.actual_risk is Risk.ADMIN,
        role=tool.actual_role,
        input_schema=tool.input_schema,
        check_arguments=checker(tool.input_schema),
        check_answer=checker(tool.output_schema),
        key_argument=idempotency.argument if idempotency else None,
        key_header=idempotency.header.lower() if idempotency and idempotency.header else None,
        keys=compile_keys(tool, idempotency) if idempotency else None,
        effect_key=compile_text(tool.effect_key, key_names(tool)) if tool.effect_key else None,
        tenant_path=compile_path(tool.tenant_path, record_names(tool)) if tool.tenant_path else None,
        owner_is_record=tool.tenant_path is not None
        and tool.tenant_path == getattr(tool.handler, "path", None),
        declares_idempotency=idempotency is not None,
        ignore=tuple(tool.compare.ignore),
        handler=compile_handler(tool, adapters, shared),
    )


def _record_path(tool: Tool) -> str | None:
    """The path of the record that the tool's handler is about, as it is written."""
    handler = tool.handler
    return handler.path if isinstance(handler, ReadHandler | MutateHandler) else None
