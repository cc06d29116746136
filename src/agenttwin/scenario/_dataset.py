"""What a dataset may say: scenarios pinned by content."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agenttwin.document import ApiVersion, Finding, Model
from agenttwin.scenario._agent import Sha256
from agenttwin.scenario._finding import repeated
from agenttwin.twin import Name


class DatasetCase(Model):
    """One pinned scenario."""

    scenario: str = Field(description="The scenario's name.")
    digest: Sha256 = Field(description="The digest of the scenario as written.")
    tags: list[str] = Field(default_factory=list, description="Words to sort it by.")
    source: str | None = Field(default=None, description="Where the case comes from.")
    privacy: Literal["synthetic", "redacted"] = Field(
        default="synthetic", description="Made up, or taken from people and stripped of what names them."
    )
    note: str = Field(default="", description="Anything worth knowing about it.")


class DatasetMetadata(Model):
    """Which dataset."""

    name: Name = Field(description="The dataset's name; `--suite` takes it too.")
    version: str = Field(description="The dataset's version.")
    description: str = Field(default="", description="What it is for.")
    tags: list[str] = Field(default_factory=list, description="Words to sort it by.")


class DatasetSpec(Model):
    """What it pins."""

    cases: list[DatasetCase] = Field(min_length=1, description="The pinned scenarios.")


class Dataset(Model):
    """Scenarios pinned by content."""

    api_version: ApiVersion
    kind: Literal["Dataset"] = Field(description="What this document is.")
    metadata: DatasetMetadata = Field(description="Which dataset.")
    spec: DatasetSpec = Field(description="What it pins.")

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        cases = enumerate(self.spec.cases)
        return list(repeated((("spec", "cases", n, "scenario"), case.scenario) for n, case in cases))
