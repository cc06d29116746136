"""The contract of agents, and the Python interface."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

import agenttwin
from agenttwin import lab
from agenttwin.agents._request import as_body
from agenttwin.compare import CaseComparison, Comparison, Divergence
from agenttwin.errors import AgentTwinError, DocumentError, Location, Problem
from agenttwin.evaluate import FIELDS
from agenttwin.interception import NoCase, ToolError
from agenttwin.run import Reply, Request, Tools

from ._documents import schema_of
from ._markdown import code, codes, fence, join, link, page, prose, sentence, table

REQUEST: Final[Mapping[str, str]] = {
    "message": "What the user says now.",
    "turns": "Everything that the user said up to now, `message` last.",
    "answers": "What the agent answered to the turns before, one for each; `None` where it gave none.",
    "context": "`input.context` of the scenario without `tenant`, `now` and `customer_id`. What you do to it stays in the case.",
    "tenant": "The tenant of the case, or `None`.",
    "customer_id": "The customer of the case, or `None`.",
    "version": "The version that is to be played.",
    "manifest": "The whole manifest of that version, as it is written.",
    "session_id": "The same for all turns of a case, different between cases. It says nothing about the case.",
}
REPLY: Final[Mapping[str, str]] = {
    "status": "The HTTP status, `None` where nothing came.",
    "ok": "Whether a complete success came.",
    "headers": "The headers, such as `Retry-After`.",
    "text": "The answer as sent.",
    "body": "The answer as JSON, `None` where it is none.",
}
CLAIM: Final[Mapping[str, str]] = {
    "output": "The answer to the user, as text. **Required** in a mapping; `None` where there is none.",
    "claimed_outcome": "How it went, in the agent's view: one of the [claimed outcomes](results.md#claimed-outcomes).",
    "business_outcome": "The same in your own words, such as `refund_issued`.",
    "tool_calls": "The agent's own list of its calls: `{tool, arguments, result}`, or names. It is shown beside the evidence, "
    "with what it leaves out, invents or alters, and never graded.",
    "steps": "How many steps it took, or a list of them.",
    "usage": "`{input_tokens, output_tokens, cost_usd}`, what it consumed.",
    "trace_id": "Where your own tracing has more.",
}

BODY: Final[Mapping[str, str]] = {
    "input": "What the user says now: `message` of the request above.",
    "turns": "Everything that the user said up to now.",
    "answers": "What the agent answered to the turns before.",
    "agent_version": "The version that is to be played.",
    "session_id": "The same for all turns of a case.",
    "tools_base_url": "Where the tools are over HTTP.",
    "mcp_url": "Where the same tools are over MCP.",
    "tool_headers": "Headers to send with each call of a tool.",
    "tenant": "The tenant of the case, or null.",
    "customer_id": "The customer of the case, or null.",
    "context": "The rest of the scenario's `input.context`.",
    "manifest": "The whole manifest of the version.",
}
"""What an agent outside Python is told."""

ENVIRONMENT: Final[Mapping[str, str]] = {
    "AGENTTWIN_AGENT_VERSION": "The version that is to be played.",
    "AGENTTWIN_TOOLS_URL": "Where the tools are over HTTP: `tools_base_url`.",
    "AGENTTWIN_MCP_URL": "Where they are over MCP: `mcp_url`.",
    "TRACEPARENT": "The W3C trace context of the case.",
}
"""What a program finds in its environment."""

HTTP: Final = """
POST {tools_base_url}/tools/<tool>     the arguments as a JSON object; the tool's answer, as it travels
GET  {tools_base_url}/tools            what tools there are
GET  {tools_base_url}/kb/search?q=…    the knowledge base
"""

EXAMPLE: Final = """
def run(request, tools):
    order = tools.call("lookup_order", order_id="ORD-1001")
    if not order.ok:
        return {"output": "I cannot see that order now.", "claimed_outcome": "FAILURE"}
    return {"output": f"The order is {order.body['status']}.", "claimed_outcome": "SUCCESS"}
"""

SHOWN: Final[Mapping[str, tuple[Any, ...]]] = {
    "Twins and cases": (agenttwin.Twin, agenttwin.Case, Reply),
    "Functions as tools": (agenttwin.tool, agenttwin.intercept, ToolError, NoCase),
    "A scenario's case": (lab.ScenarioCase, lab.ExpectationFailed),
    "Comparing": (lab.compare, Comparison, CaseComparison, Divergence),
    "Sessions": (lab.Session, lab.Ask),
    "Errors": (AgentTwinError, DocumentError, Problem, Location),
}
"""What the page explains, in its order."""

MODULES: Final[Mapping[str, str]] = {
    "Reply": "agenttwin.run",
    "Session": "agenttwin.lab",
    "Ask": "agenttwin.lab",
    "CaseComparison": "agenttwin.compare",
    "Divergence": "agenttwin.compare",
    "Problem": "agenttwin.errors",
    "Location": "agenttwin.errors",
}
"""Where names come from that `agenttwin` itself does not export."""


def agent() -> str:
    """The page of the contract between AgentTwin and an agent."""
    return page(
        "The agent's contract",
        "What an agent is, `run` of its entry in [`agenttwin.yaml`](workspace.md#agententry) says. For each turn of a case it gets a request and its tools, and "
        "gives back its answer.",
        table(("kind", "the agent is"), _ways()),
        "## A Python function",
        "Named as `module:function`:",
        fence("python", EXAMPLE),
        "`async def run(request, tools)` works the same; its tools are awaited: `await tools.call(…)`. A function that is not "
        "async runs in a thread of its own for each case, so it must not keep state of a case in a global.",
        "## The request",
        "The agent is never told the scenario's name, nor that there is a fault.",
        _fields(Request, REQUEST),
        "## The tools",
        *(_methods(Tools, leave_out=("awaited",))),
        "A call never raises for what a tool answers: an unknown tool, a refusal and a broken connection are replies. It raises "
        "`CaseClosed` after the end of the case, and `LimitExceeded` far beyond the limit of calls.",
        "## A tool's reply",
        _fields(Reply, REPLY),
        "## What the agent gives back",
        "Text, which is its answer; or a mapping with `output` and more of these. Other fields are left out. What it says is a "
        "*claim*: it is compared with what happened, and never taken as evidence.",
        table(("field", "meaning"), ((code(name), CLAIM[name]) for name in FIELDS)),
        "An exception that leaves the function is `AGENT_CRASHED`, a reply that cannot be read `AGENT_ERROR`, one that does not "
        "come in time `AGENT_TIMEOUT`: each fails the case. See "
        "[how an agent ends](results.md#how-an-agent-ends).",
        "## Outside Python",
        "A program gets the request as JSON on its standard input, a server as the body of `POST /run`. The program's answer is a "
        "JSON object as the last line of its standard output, or all of it; the server's is the body of its response. Its fields "
        "are those above.",
        table(("field", "meaning"), ((code(name), BODY[name]) for name in _body())),
        "A program also finds in its environment:",
        table(("variable", "meaning"), ((code(name), told) for name, told in ENVIRONMENT.items())),
        "The addresses hold for this case, and until it ends:",
        fence("text", HTTP),
        "Over HTTP a fault is real: a connection breaks, an answer is cut, a delay takes its time. A status that is no success is "
        "the tool's answer and not an error of the transport. A server that cannot be reached, or rejects the request, says "
        "nothing about the agent: the case is ERRORED.",
        "## Threads and processes",
        "With `isolation: thread`, the default, agents run in this process, and one that hangs can only be left behind. With "
        "`isolation: process` each runs in a process of its own that is ended at its deadline. Calls reach the same twin.",
    )


def _ways() -> Iterator[tuple[str, str]]:
    """The kinds of `run`, with the sentence that its model says of each."""
    definitions = schema_of("Workspace")["$defs"]
    kinds: Mapping[str, str] = definitions["AgentEntry"]["properties"]["run"]["discriminator"]["mapping"]
    for kind, reference in kinds.items():
        name = reference.rsplit("/", 1)[1]
        yield link(code(kind), f"workspace.md#{name.lower()}"), definitions[name]["description"]


def _body() -> list[str]:
    names = {field.name: None for field in dataclasses.fields(Request)}
    request: Any = Request(**{**names, "version": "1.0.0", "session_id": "s"})  # type: ignore[arg-type]
    lease: Any = SimpleNamespace(http_url="", mcp_url="", env={})
    return list(json.loads(as_body(request, lease)))


def python() -> str:
    """The page of the Python interface."""
    return page(
        "Python",
        f"`import agenttwin` gives {codes(agenttwin.__all__)}. They are imported when they are first used.",
        *(join((f"## {title}", *(_entry(each) for each in found))) for title, found in SHOWN.items()),
    )


def _entry(found: Any) -> str:
    name = found.__name__
    module = MODULES.get(name, "agenttwin")
    if inspect.isfunction(found):
        return join((f"### {module}.{name}", fence("text", _signature(found)), prose(found.__doc__)))
    parts = [f"### {module}.{name}", prose(found.__doc__)]
    if dataclasses.is_dataclass(found):
        rows = ((code(field.name), code(_type(field.type))) for field in dataclasses.fields(found))
        parts.append(table(("field", "type"), rows))
    return join((*parts, *_methods(found)))


def _methods(found: type, *, leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    """The public methods and properties that a class defines itself."""
    properties = []
    for name, member in vars(found).items():
        if name.startswith("_") or name in leave_out:
            continue
        if isinstance(member, property):
            properties.append((code(name), sentence(member.__doc__ or "")))
            continue
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function):
            yield join((fence("text", _signature(function)), prose(function.__doc__)))
    yield table(("property", "meaning"), properties)


def _signature(function: Callable[..., Any]) -> str:
    """The signature as a reader types it: without self, a parameter a line where it is long."""
    signature = inspect.signature(function)
    parameters = [each for name, each in signature.parameters.items() if name not in ("self", "cls")]
    text = _plain(str(signature.replace(parameters=parameters)))
    line = f"{function.__name__}{text}"
    if len(line) <= 90:
        return line
    words, kind = [], None
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and kind is not each.KEYWORD_ONLY:
            words.append("*")
        kind = each.kind
        words.append(_plain(str(each)))
    inner = "".join(f"    {word},\n" for word in words)
    return f"{function.__name__}(\n{inner}){text[text.rindex(')') + 1 :]}"


def _plain(text: str) -> str:
    return re.sub(r"'([^']*)'", r"\1", text) if "'" in text else text


def _type(found: Any) -> str:
    text = found if isinstance(found, str) else found.__name__ if isinstance(found, type) else str(found)
    return re.sub(r"\bagenttwin(\.\w+)+\.(?=[A-Z])", "", text)


def _fields(found: Any, words: Mapping[str, str]) -> str:
    rows = ((code(field.name), words[field.name]) for field in dataclasses.fields(found))
    return table(("field", "meaning"), rows)
