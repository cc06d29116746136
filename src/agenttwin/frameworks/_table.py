"""Which frameworks there are, and where each one's adapter lies."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from agenttwin.errors import AgentTwinError, NotFound, UsageError


@dataclass(frozen=True, slots=True)
class Framework:
    """An agent framework: the package that is imported, what pip installs, and what its adapter can do.

    ``form`` says how the twin takes the place of the tools of an agent that is made already.
    """

    package: str
    distribution: str
    form: str


OPENAI: Final = "agents"
"""The package of the OpenAI Agents SDK, which is a name that many projects have for one of their own."""

FRAMEWORKS: Final = MappingProxyType(
    {
        "pydantic-ai": Framework("pydantic_ai", "pydantic-ai-slim", "tools.stand_in(agent): agent.override"),
        "langchain": Framework("langchain", "langchain", "tools.middleware(): AgentMiddleware"),
        "openai-agents": Framework(OPENAI, "openai-agents", "tools.stand_in(agent): agent.clone"),
        "google-adk": Framework("google.adk", "google-adk", "tools.stand_in(agent): before_tool_callback"),
        "strands": Framework("strands", "strands-agents", "tools.stand_in(agent): a hook before each call"),
        "smolagents": Framework("smolagents", "smolagents", "tools.stand_in(agent): the agent's tools"),
        "crewai": Framework("crewai", "crewai", "tools.stand_in(agent): the agent's tools"),
        "claude-agent-sdk": Framework(
            "claude_agent_sdk", "claude-agent-sdk", "an MCP server in the process: options.mcp_servers"
        ),
    }
)


def adapter(framework: str) -> Any:
    """The module that adapts a framework."""
    if framework not in FRAMEWORKS:
        close = get_close_matches(framework, FRAMEWORKS, 1, 0.5)
        hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(FRAMEWORKS)}."
        raise NotFound("unknown_framework", f"There is no adapter for {framework!r}.{hint}")
    found = FRAMEWORKS[framework]
    try:
        import_module(found.package)
    except ImportError as error:
        message = f"{framework} is not installed here: {error}."
        raise AgentTwinError("framework_missing", message, f"pip install {found.distribution}") from None
    return import_module(f"agenttwin.frameworks._{framework.replace('-', '_')}")


def adapter_of(agent: Any) -> Any:
    """The module that adapts the framework an agent is made with."""
    modules = [kind.__module__ for kind in type(agent).__mro__]
    for name, found in FRAMEWORKS.items():
        if any(_belongs(module, found.package) for module in modules):
            module = adapter(name)
            if hasattr(module, "stand_in"):
                return module
            raise UsageError("no_stand_in", f"{name}: {found.form}.")
    if any(module.startswith("langgraph") for module in modules):
        raise UsageError("no_stand_in", f"langchain: {FRAMEWORKS['langchain'].form}.")
    message = f"{type(agent).__module__}.{type(agent).__qualname__} is no agent of a framework that is known."
    raise UsageError("no_stand_in", message)


def _belongs(module: str, package: str) -> bool:
    """Whether a module is of a framework; a folder `agents` of somebody's own is not the SDK of that name."""
    if package == OPENAI:
        return module == f"{OPENAI}.agent"
    return f"{module}.".startswith(f"{package}.")
