"""Lists the files and functions of the product that no longer fit the eye; judges nothing."""

import ast
import statistics
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE_LINES = 400
FUNCTION_LINES = 60


def main() -> None:
    lengths = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        text, name = file.read_text("utf-8"), file.relative_to(ROOT)
        if (lines := text.count("\n")) > FILE_LINES:
            print(f"{name}: {lines} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append(length := (node.end_lineno or 0) - node.lineno + 1)
                if length > FUNCTION_LINES:
                    print(f"{name}:{node.lineno}: {node.name} has {length} lines")
    print(f"{len(lengths)} functions, median {statistics.median(lengths):.0f} lines")


if __name__ == "__main__":
    main()
