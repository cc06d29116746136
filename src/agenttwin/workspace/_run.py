"""What `run:` of an agent may say: how it is driven. One model for each kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from agenttwin.document import Finding, Model

MAX_ARGV: Final = 256
"""Words of a command; more of them belong into a script."""

MAX_START_SECONDS: Final = 3_600
"""For setting up a version, or starting its server: an hour is enough to build one."""

MAX_TURNS: Final = 200
"""Answers of a model in one turn of a conversation; as many as a case makes calls."""

Target: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]
Argv: TypeAlias = Annotated[list[str], Field(min_length=1, max_length=MAX_ARGV)]
Url: TypeAlias = Annotated[str, Field(pattern=r"^https?://[^/\s?#]+(/[^\s?#]*)?$")]
Seconds: TypeAlias = Annotated[float, Field(gt=0, le=MAX_START_SECONDS)]

PORT: Final = "{port}"


class PythonRun(Model):
    """An agent that is a Python function in the workspace's folder or an installed package."""

    kind: Literal["python"] = Field(description="The agent is a Python function.")
    target: Target = Field(description="The function, as `module:function`.", examples=["agent:run"])
    intercept: dict[str, Target] = Field(
        default_factory=dict,
        description="Functions that become tools while a case runs, by the tool's name.",
        examples=[{"refund_payment": "payments:refund"}],
    )

    @property
    def what(self) -> str:
        """What is run, in a few words."""
        return self.target


class CommandRun(Model):
    """An agent that is a program: one process a turn, the request on stdin, the reply as the last line."""

    kind: Literal["command"] = Field(description="The agent is a program.")
    argv: Argv = Field(
        description="The program and its arguments, without a shell; `{python}` is this Python.",
        examples=[["node", "agent.js"]],
    )

    @property
    def what(self) -> str:
        """What is run, in a few words."""
        return " ".join(self.argv)


class HttpRun(Model):
    """An agent behind HTTP, at `POST {url}/run`; it may be started for the run."""

    kind: Literal["http"] = Field(description="The agent answers HTTP requests.")
    url: Url = Field(
        description="Where it is; `/run` is added. `{port}` is the free port of a server that is started.",
        examples=["http://127.0.0.1:{port}"],
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Sent with each request; `${NAME}` comes from the environment or .env. Never stored.",
    )
    start: Argv | None = Field(
        default=None,
        description="Starts the server of a version: `{port}`, `{version}` and `{python}` are replaced.",
        examples=[["python", "server.py", "--port", "{port}"]],
    )
    ready: str | None = Field(
        default=None,
        pattern=r"^/\S*$",
        description="A path that answers with success once the server is ready; else a connection tells.",
    )
    start_seconds: Seconds = Field(default=60, description="How long a server may take to get ready.")

    @property
    def what(self) -> str:
        """What is run, in a few words."""
        return self.url


class GitRun(Model):
    """An agent whose versions are git refs: each side runs the files of its ref, in a checkout of its own."""

    kind: Literal["git"] = Field(description="A version is a git ref: a branch, a tag, a commit; WORKTREE.")
    run: Annotated[PythonRun | CommandRun | HttpRun, Field(discriminator="kind")] = Field(
        description="How the files of a ref are run."
    )
    setup: Argv | None = Field(
        default=None,
        description="Run once in each new checkout, such as an installation; `{python}` is this Python.",
        examples=[["npm", "ci"]],
    )
    setup_seconds: Seconds = Field(default=600, description="How long that may take.")
    folder: str | None = Field(
        default=None,
        description="The folder of the repository to run in; the workspace's own where it is not said.",
    )

    @property
    def what(self) -> str:
        """What is run, in a few words."""
        return f"{self.run.kind} {self.run.what}"


class ModelRun(Model):
    """A language model that is given the tools of the twin and the instructions of its manifest."""

    kind: Literal["model"] = Field(description="The agent is a language model with the twin's tools.")
    provider: Literal["anthropic", "openai"] = Field(
        description="Whose API is spoken; many other services speak that of OpenAI."
    )
    base_url: Url | None = Field(default=None, description="Where it is, unless with the provider itself.")
    api_key: str = Field(
        default="",
        description="The key; `${NAME}` comes from the environment or .env. Empty: where the provider's own"
        " package looks for it.",
        examples=["${OPENAI_API_KEY}"],
    )
    system: str | None = Field(
        default=None,
        description="A file with the system prompt, where the manifest has no instructions.",
    )
    max_turns: int = Field(
        default=20, ge=1, le=MAX_TURNS, description="Answers of the model in one turn of a conversation."
    )

    @property
    def what(self) -> str:
        """What is run, in a few words."""
        return self.provider


Run: TypeAlias = Annotated[PythonRun | CommandRun | HttpRun | GitRun | ModelRun, Field(discriminator="kind")]


def run_findings(run: Run) -> list[Finding]:
    """What is wrong with a way to run an agent beyond the types of its fields."""
    if isinstance(run, GitRun):
        return [replace(finding, at=("run", *finding.at)) for finding in run_findings(run.run)]
    if isinstance(run, HttpRun) and run.start is None and PORT in run.url:
        message = "only a server that is started here gets a port; say how with `start`"
        return [Finding(at=("url",), code="invalid_value", message=message, value=run.url)]
    return []


class Price(Model):
    """What a model costs."""

    input_per_million: float = Field(ge=0, description="US dollars for a million tokens that it reads.")
    output_per_million: float = Field(ge=0, description="US dollars for a million tokens that it writes.")
