"""What the tools of a world are, for whoever offers them to a model: frameworks here, and MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agenttwin.frameworks._search import SEARCH, SEARCH_DESCRIPTION, SEARCH_SCHEMA
from agenttwin.frameworks._spec import ToolSpec
from agenttwin.transcript import Risk

if TYPE_CHECKING:
    from agenttwin.twin import CompiledTool, World


def specs_of(world: World) -> tuple[ToolSpec, ...]:
    """The twin's tools, and the search where there is something to search."""
    tools = [
        ToolSpec(
            name=tool.name,
            description=tool.description,
            schema=arguments_schema(tool),
            risk=tool.risk.value,
        )
        for tool in world.twin.tools.values()
    ]
    return (*tools, SEARCH_SPEC) if searches(world) else tuple(tools)


def arguments_schema(tool: CompiledTool) -> dict[str, Any]:
    """The schema of a tool's arguments: they are an object, whether or not it says more."""
    return {**(tool.input_schema or {}), "type": "object"}


def searches(world: World) -> bool:
    """Whether the case has knowledge documents, and no tool of its own under the name of the search."""
    return SEARCH not in world.twin.tools and bool(world.tree.get(world.twin.knowledge))


SEARCH_SPEC = ToolSpec(
    name=SEARCH,
    description=SEARCH_DESCRIPTION,
    schema=SEARCH_SCHEMA,
    risk=Risk.READ.value,
    searches=True,
)
