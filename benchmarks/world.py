"""What a world costs: reading, writing and forking a small and a large value, beside copying it whole."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from _harness import Figure, main, median_seconds

from agenttwin.values import Change, Tree

COUNT = ("orders", "ORD-1001", "refund_count")


def state(orders: int) -> dict[str, Any]:
    """A shop with so many orders; one is about 160 bytes of JSON."""
    order = {"total": 150, "refund_count": 0, "refundable_amount": 150, "status": "delivered"}
    return {
        "orders": {
            f"ORD-{1001 + number}": order
            | {"customer": f"C-{number}", "items": [{"sku": "A", "price": 75}] * 2}
            for number in range(orders)
        },
        "refunds": [],
    }


def changed(tree: Tree) -> tuple[Change, ...]:
    """One write, what it changed, and back."""
    mark = tree.mark()
    tree.set(COUNT, 1)
    changes = tree.changes(mark)
    tree.undo(mark)
    return changes


def changed_by_copying(value: dict[str, Any]) -> list[tuple[str, object, object]]:
    """The same, as one would write it without a tree."""
    after = deepcopy(value)
    after["orders"]["ORD-1001"]["refund_count"] = 1
    return list(differences("", value, after))


def differences(path: str, before: object, after: object) -> Iterator[tuple[str, object, object]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from differences(f"{path}.{key}", before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(f"{path}[{index}]", old, new)
    elif before != after:
        yield path, before, after


def read_plainly(value: dict[str, Any]) -> object:
    for segment in COUNT:
        value = value[segment]
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What is measured on a tree, beside the peer's way on the plain value."""

    name: str
    ours: Callable[[Tree], object]
    peer: Callable[[dict[str, Any]], object]
    peer_name: str
    at_most: float


OPERATIONS = (
    Operation(
        name="read a path",
        ours=lambda tree: tree.get(COUNT),
        peer=read_plainly,
        peer_name="dict",
        at_most=2e-6,
    ),
    Operation(
        name="set, changes, undo",
        ours=changed,
        peer=changed_by_copying,
        peer_name="deepcopy, diff",
        at_most=8e-6,
    ),
    Operation(name="fork", ours=Tree.fork, peer=deepcopy, peer_name="deepcopy", at_most=10e-6),
)


def medians(acts: list[Callable[[], object]], rounds: int = 5) -> list[float]:
    """Seconds a call, measured in turns, so that a busy moment of the machine meets all alike."""
    turns = [[median_seconds(act, repeats=1) for act in acts] for _ in range(rounds)]
    return [median(seconds) for seconds in zip(*turns, strict=True)]


def figures() -> Iterator[Figure]:
    sizes = {"1 kB": state(orders=6), "10 MB": state(orders=60_000)}
    trees = {size: Tree(value) for size, value in sizes.items()}
    for operation in OPERATIONS:
        acts = [partial(operation.ours, tree) for tree in trees.values()]
        ours = dict(zip(sizes, medians(acts), strict=True))
        for size, value in sizes.items():
            yield Figure(
                name=f"{operation.name}, {size}",
                ours=ours[size],
                peer=median_seconds(partial(operation.peer, value), repeats=1),
                peer_name=operation.peer_name,
                at_most=operation.at_most,
            )
        yield Figure(
            name=f"{operation.name}, 10 MB beside 1 kB",
            ours=ours["10 MB"],
            peer=ours["1 kB"],
            peer_name="1 kB",
            ratio_at_most=1.5,
        )


if __name__ == "__main__":
    main("World: what it costs against what it holds", figures)
