"""Making agents that are language models: what the manifest pins, and what it is going to cost."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from agenttwin.agents import Budget, ModelAgent, ModelPrice, ModelSettings, estimate
from agenttwin.errors import NotFound, UsageError
from agenttwin.lab._environment import Given
from agenttwin.lab._versions import Version
from agenttwin.run import Work
from agenttwin.transcript import ModelKind
from agenttwin.workspace import ModelRun, Workspace

MAX_PROMPT_BYTES = 1024 * 1024
"""Of a system prompt in a file; no model reads more."""


def made_model(
    workspace: Workspace, run: ModelRun, version: Version, given: Given, budget: Budget
) -> ModelAgent:
    """The model of a version. UsageError where the manifest does not pin what is to be asked."""
    manifest = version.manifest.model
    spec, model = manifest.spec, manifest.spec.model
    if model.name is None or manifest.model_kind is not ModelKind.LLM:
        message = f"The manifest of {version.agent} {version.number} names no language model."
        raise UsageError("no_model", message)
    price = workspace.file.prices.get(model.name)
    if price is None and budget.limit_usd is not None:
        raise UsageError("no_price", f"There is no price for the model {model.name!r}, so no limit can hold.")
    return ModelAgent(
        run.provider,
        ModelSettings(
            name=model.name, temperature=model.temperature, max_tokens=model.max_tokens, params=model.params
        ),
        budget=budget,
        system=_system(run, version),
        tools=[tool.name for tool in spec.tools] or None,
        price=None if price is None else ModelPrice(**price.model_dump()),
        max_turns=min(run.max_turns, spec.limits.max_steps or run.max_turns),
        base_url=run.base_url,
        api_key=given.expand({"apiKey": run.api_key}, "run")["apiKey"] or None,
    )


def told_estimate(workspace: Workspace, works: Sequence[Work]) -> str | None:
    """What the models of a run are going to cost, in one sentence; None where no price is known."""
    costs = [cost for work in works if (cost := _estimated(work)) is not None]
    if not costs:
        return None
    limit = workspace.settings.max_cost
    end = "" if limit is None else f" The run ends at {limit:g} USD."
    cases = "1 case" if len(costs) == 1 else f"{len(costs)} cases"
    return f"About {sum(costs):.2f} USD for {cases} with a language model.{end}"


def _estimated(work: Work) -> float | None:
    agent, turns = work.agent, work.scenario.spec.input.turns
    if not isinstance(agent, ModelAgent) or agent.price is None:
        return None
    return estimate(agent.price, messages=len(turns) if turns else 1, prompt=agent.prompt_size(work.twin))


def _system(run: ModelRun, version: Version) -> str:
    """The instructions of the manifest; or those in a file, which the manifest must pin by their digest."""
    spec = version.manifest.model.spec
    if run.system is None or spec.instructions is not None:
        return spec.instructions or ""
    path = version.folder / run.system
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PROMPT_BYTES)
    except OSError:
        raise NotFound("no_such_file", f"There is no file {run.system!r} with the system prompt.") from None
    digest = sha256(data).hexdigest()
    if spec.prompt_ref is None or spec.prompt_ref.sha256.removeprefix("sha256:") != digest:
        message = f"The manifest of {version.agent} {version.number} does not pin {run.system!r} as it is."
        remedy = (
            f"Write promptRef: {{name: {run.system}, sha256: {digest}}} into a manifest of its own version."
        )
        raise UsageError("unpinned_prompt", message, remedy)
    return data.decode("utf-8", "replace")
