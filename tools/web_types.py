"""Writes the app's TypeScript types from the server's own description: the wire is declared once.

`python -m tools.web_types` writes web/src/api/schema.ts from what `agenttwin serve --openapi` prints.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "web/src/api/schema.ts"


def main(target: Path = TARGET) -> None:
    """Writes the types; needs the packages of web/ (`make web`)."""
    words = [sys.executable, "-m", "agenttwin.cli", "serve", "--openapi"]
    described = subprocess.run(words, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openapi.json"
        file.write_bytes(described)
        tool = ROOT / "web/node_modules/.bin/openapi-typescript"
        subprocess.run([tool, file, "--output", target], check=True, capture_output=True)


if __name__ == "__main__":
    main()
