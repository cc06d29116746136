"""`agenttwin schema`: the JSON Schemas of everything that is read and written."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from agenttwin.cli._output import say, show


@click.command()
@click.argument("kind", required=False)
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Write one file a kind into DIR."
)
def command(kind: str | None, output: Path | None) -> int:
    """Print the JSON Schema of KIND, or the names of all kinds, or write all of them.

    Editors complete and check documents with them.
    """
    from agenttwin.errors import NotFound
    from agenttwin.lab import schemas
    from agenttwin.values import nearest

    found = schemas()
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        for name, schema in found.items():
            (output / f"{name}.schema.json").write_bytes(_text(schema))
        say(f"{len(found)} schemas written to {output}.")
        return 0
    if kind is None:
        show("\n".join(found))
        return 0
    if kind not in found:
        close = nearest(kind, found)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_kind", f"There is no schema {kind!r}.{hint} There are: {', '.join(found)}.")
    show(_text(found[kind]).decode(), nl=False)
    return 0


def _text(schema: object) -> bytes:
    return orjson.dumps(schema, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
