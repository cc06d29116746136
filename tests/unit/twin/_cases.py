"""What the tests of the twin share: twins from a few lines, worlds, calls."""

import json

import orjson

from agenttwin.document import read
from agenttwin.twin import Call, FaultRule, TwinDefinition, begin, compile, finish, step
from agenttwin.values import MISSING


def definition(*tools, **spec):
    """A definition with these tools; a tool without a name is called `t`."""
    named = [{"name": "t"} | tool for tool in tools]
    document = {
        "apiVersion": "agenttwin.dev/v1",
        "kind": "TwinDefinition",
        "metadata": {"name": "test"},
        "spec": {"initialState": {}} | spec | {"tools": named},
    }
    return document


def loaded(document):
    """The model of a definition, which must be without problems."""
    return read(json.dumps(document), file="twin.json", models={"TwinDefinition": TwinDefinition}).model


def twin(*tools, adapters=None, **spec):
    return compile(loaded(definition(*tools, **spec)), adapters=adapters or {})


def fault(kind, target="*", when=None, name=None, **behavior):
    """A rule as a scenario writes it; what is not named here is a field of its behavior."""
    rule = {"target": target, "behavior": {"type": kind} | behavior}
    rule |= {"id": name} if name is not None else {}
    rule |= {"when": when} if when is not None else {}
    return FaultRule.model_validate_json(orjson.dumps(rule))


class Case:
    """One case of a twin, as short as a test wants it."""

    def __init__(self, compiled, **given):
        self.twin = compiled
        self.world = begin(compiled, **given)

    def __call__(self, tool="t", /, headers=None, **arguments):
        """Calls a tool; gives its record."""
        return self.step(tool, arguments, headers).records[0]

    def step(self, tool="t", arguments=None, headers=None):
        return step(self.twin, self.world, Call(tool, arguments, headers or {}))

    def end(self):
        finish(self.world)
        return self

    @property
    def state(self):
        return self.world.tree.plain()


def shown(changes):
    """Changes as (path, before, after), MISSING as ..."""
    return [
        (change.path, *(... if side is MISSING else side for side in (change.before, change.after)))
        for change in changes
    ]
