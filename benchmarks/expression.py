"""Expressions and templates as a tool call meets them, beside the C++ CEL in the same process.

The peer compiles as fast, but binds every variable anew on each evaluation; with a state of a megabyte it
does nothing else.
"""

from collections.abc import Iterator
from typing import Any

from _harness import Figure, main, median_seconds

from agenttwin.expression import Names, Scope, compile, compile_expression, compile_path

try:
    from cel_expr_python import cel
except ImportError:
    cel = None

ITEMS = [{"item_id": f"I-{n}", "price": n * 1.25, "name": f"item {n}"} for n in range(20)]
ORDER = {"status": "pending", "total": 150, "user_id": "u-7", "items": ITEMS}
SMALL = {"orders": {"O-1": ORDER}}
LARGE = {"orders": {f"O-{n}": ORDER for n in range(500)}}

ARGS = {"order_id": "O-1", "amount": 40, "item_ids": ["I-3", "I-5"]}
NAMES = Names(arguments=frozenset(ARGS), roots=frozenset({"args", "state", "value", "tenant"}))
AMPLE = 10**15  # steps: one scope serves a whole measurement

EXPRESSIONS = {
    "compare": ("amount <= value.total", SMALL),
    "guard": ("value.status == 'pending' && amount <= value.total", SMALL),
    "arithmetic": ("(amount + 2) * 3 - value.total % 7", SMALL),
    "look-up": ("state.orders[order_id].items[3].price", SMALL),
    "look-up, 1 MB": ("state.orders[order_id].items[3].price", LARGE),
    "map over 20": ("value.items.map(i, i.price)", SMALL),
    "filter over 20": ("value.items.filter(i, i.item_id in item_ids)", SMALL),
    "any of 20": ("value.items.exists(i, i.price > 20.0 && i.name.startsWith('item'))", SMALL),
}
TEMPLATES: dict[str, Any] = {
    "template: one name": "{order_id}",
    "template: text": "refund:{order_id}:{amount}",
    "template: object": {"id": "{order_id}", "of": "{value.user_id}", "kind": "refund", "sum": "{amount}"},
    "template: constant": {"ok": True, "items": [1, 2, 3]},
}


def figures() -> Iterator[Figure]:
    for name, (text, state) in EXPRESSIONS.items():
        variables = {"state": state, "value": ORDER, "tenant": "demo"}
        evaluate, scope = compile_expression(text, NAMES).evaluate, Scope(ARGS, dict(variables), AMPLE)
        yield Figure(
            name=name,
            ours=median_seconds(lambda evaluate=evaluate, scope=scope: evaluate(scope)),
            peer=peer(text, ARGS | variables),
            peer_name="cel-expr-python",
            ratio_at_most=1.0,
        )
    yield compiling("compile", "value.status == 'pending' && amount <= value.total")
    scope = Scope(ARGS, {"state": SMALL, "value": ORDER, "tenant": "demo"}, AMPLE)
    for name, template in TEMPLATES.items():
        render = compile(template, NAMES).render
        yield Figure(name=name, ours=median_seconds(lambda render=render: render(scope)), at_most=3e-6)
    resolve = compile_path("orders[{order_id}].items[0]", NAMES).resolve
    yield Figure(name="path", ours=median_seconds(lambda: resolve(scope)), at_most=3e-6)


def compiling(name: str, text: str) -> Figure:
    env = environment()
    return Figure(
        name=name,
        ours=median_seconds(lambda: compile_expression(text, NAMES)),
        peer=median_seconds(lambda: env.compile(text)) if env else None,
        peer_name="cel-expr-python",
    )


def environment() -> Any:
    names = ("state", "value", "tenant", *ARGS)
    return cel and cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN))


def peer(text: str, variables: dict[str, Any]) -> float | None:
    """Seconds of one evaluation, with the variables that the expression names bound to it."""
    env = environment()
    if not env:
        return None
    expression = env.compile(text)
    bound = {name: value for name, value in variables.items() if name in text}
    return median_seconds(lambda: expression.eval(data=bound).plain_value())


if __name__ == "__main__":
    main("Expressions and templates", figures)
