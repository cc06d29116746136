"""Writes the app's TypeScript types from what the server publishes: one declaration of the wire.

`python -m tools.web_types` writes web/src/api/schema.ts from the server's OpenAPI document, and from the
published schema of a comparison, which the document's answers carry.
"""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "web/src/api/schema.ts"


def published() -> dict[str, Any]:
    """The comparison's schema as an OpenAPI document, its definitions as components."""
    text = (ROOT / "schemas/Comparison.schema.json").read_text("utf-8")
    schema = json.loads(text.replace("#/$defs/", "#/components/schemas/"))
    parts = schema.pop("$defs")
    schema.pop("$schema", None)
    schema.pop("$id", None)
    return {
        "openapi": "3.1.0",
        "info": {"title": "AgentTwin", "version": "1"},
        "paths": {},
        "components": {"schemas": {**parts, "ComparisonDocument": schema}},
    }


def main() -> None:
    """Writes the types."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openapi.json"
        file.write_text(json.dumps(published()), "utf-8")
        tool = ROOT / "web/node_modules/.bin/openapi-typescript"
        subprocess.run([tool, file, "--output", TARGET], check=True)


if __name__ == "__main__":
    main()
