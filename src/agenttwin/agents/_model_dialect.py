"""How providers of language models are spoken to: one row for each API, over the provider's own package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agenttwin.agents._output import read_json
from agenttwin.agents._worker import NO_JSON
from agenttwin.errors import AgentTwinError, DocumentError
from agenttwin.values import Json

DEFAULT_MAX_TOKENS: Final = 4096
"""Of one answer, where the manifest says nothing and the API wants to know."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The model of a version: its name, and how it is asked. ``params`` go into the request as they are."""

    name: str
    temperature: float | None = None
    max_tokens: int | None = None
    params: Mapping[str, Json]

    @property
    def extra(self) -> dict[str, Json]:
        """What the packages have no argument for in every release."""
        chosen = {} if self.temperature is None else {"temperature": self.temperature}
        return {**chosen, **self.params}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTool:
    """A tool as a model is shown it, under a name that its provider takes."""

    name: str
    description: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that a model asks for."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of a call: the answer's text, and whether it is a success."""

    id: str
    text: str
    ok: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One answer of a model: what it says, what it wants, its tokens; ``message`` is how it is remembered."""

    text: str
    wanted: Sequence[Wanted]
    read: int
    written: int
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One request to a model."""

    settings: ModelSettings
    system: str
    messages: Sequence[Message]
    tools: Sequence[ModelTool]
    seconds: float
    at_home: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """An API: the package that speaks it, its client, how to ask, and how to tell what came of calls."""

    package: str
    client: str
    ask: Callable[[Any, Talk], ModelAnswer]
    told: Callable[[Sequence[Heard]], list[Message]]

    def load(self) -> Any:
        """The provider's package; AgentTwinError names the extra where it is missing."""
        try:
            return importlib.import_module(self.package)
        except ImportError:
            message = f"This needs {self.package}, which is not installed."
            raise AgentTwinError("missing_extra", message, "pip install 'agenttwin[model]'") from None


# -- Anthropic


def _ask_anthropic(client: Any, talk: Talk) -> ModelAnswer:
    settings = talk.settings
    more: dict[str, Any] = {"system": talk.system} if talk.system else {}
    if talk.tools:
        more["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in talk.tools
        ]
    said = client.messages.create(
        model=settings.name,
        max_tokens=settings.max_tokens or DEFAULT_MAX_TOKENS,
        messages=list(talk.messages),
        timeout=talk.seconds,
        extra_body=settings.extra or None,
        **more,
    )
    blocks = [block.model_dump(mode="json", exclude_unset=True) for block in said.content]
    usage = said.usage.model_dump()
    return ModelAnswer(
        text="".join(block["text"] for block in blocks if block["type"] == "text"),
        wanted=[
            Wanted(id=block["id"], name=block["name"], arguments=block["input"])
            for block in blocks
            if block["type"] == "tool_use"
        ],
        read=sum(usage.get(name) or 0 for name in _ANTHROPIC_READ),
        written=usage["output_tokens"],
        message={"role": "assistant", "content": blocks},
    )


_ANTHROPIC_READ: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _told_anthropic(heard: Sequence[Heard]) -> list[Message]:
    content = [
        {"type": "tool_result", "tool_use_id": each.id, "content": each.text, "is_error": not each.ok}
        for each in heard
    ]
    return [{"role": "user", "content": content}]


# -- OpenAI, and those who speak as it does


def _ask_openai(client: Any, talk: Talk) -> ModelAnswer:
    settings = talk.settings
    before = [{"role": "system", "content": talk.system}] if talk.system else []
    more: dict[str, Any] = {}
    if talk.tools:
        more["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
            }
            for tool in talk.tools
        ]
    if settings.max_tokens is not None:  # the provider has renamed it, other services have not
        more["max_completion_tokens" if talk.at_home else "max_tokens"] = settings.max_tokens
    said = client.chat.completions.create(
        model=settings.name,
        messages=[*before, *talk.messages],
        timeout=talk.seconds,
        extra_body=settings.extra or None,
        **more,
    )
    message = said.choices[0].message.model_dump(mode="json", exclude_none=True)
    calls = message.get("tool_calls") or []
    return ModelAnswer(
        text=message.get("content") or "",
        wanted=[_wanted_openai(call) for call in calls],
        read=said.usage.prompt_tokens if said.usage else 0,
        written=said.usage.completion_tokens if said.usage else 0,
        message={name: message[name] for name in ("role", "content", "tool_calls") if message.get(name)},
    )


def _wanted_openai(call: Mapping[str, Any]) -> Wanted:
    """Arguments are text there; what is no JSON is handed on as such, so that it is refused and recorded."""
    text = call["function"]["arguments"]
    try:
        arguments = read_json(text.encode()) if text.strip() else {}
    except (DocumentError, UnicodeEncodeError):
        arguments = NO_JSON
    return Wanted(id=call["id"], name=call["function"]["name"], arguments=arguments)


def _told_openai(heard: Sequence[Heard]) -> list[Message]:
    return [{"role": "tool", "tool_call_id": each.id, "content": each.text} for each in heard]


DIALECTS: Final[Mapping[str, Dialect]] = {
    "anthropic": Dialect(package="anthropic", client="Anthropic", ask=_ask_anthropic, told=_told_anthropic),
    "openai": Dialect(package="openai", client="OpenAI", ask=_ask_openai, told=_told_openai),
}
"""The APIs that are spoken, by the word that `provider` says."""
