"""What a reader tells about a text, for tests."""

from agenttwin.document import Limits, parse
from agenttwin.errors import DocumentError
from agenttwin.values import Json

SMALL = Limits(bytes=100, depth=3, nodes=8)


def yaml(text: bytes | str) -> Json:
    """The value of a YAML text."""
    return parse(text, file="a.yaml").value


def told(text: bytes | str, *, file: str = "a.yaml", limits: Limits | None = None) -> list[str]:
    """The problems of a text, each without the name of the file; none where it can be read."""
    try:
        parse(text, file=file, limits=limits)
    except DocumentError as error:
        return [str(problem).removeprefix(f"{file}:") for problem in error.problems]
    return []
