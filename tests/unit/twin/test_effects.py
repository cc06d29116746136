"""Operations, blocks, names and their order: all of it or nothing."""

import pytest

from tests.unit.twin._cases import Case, shown, twin

STATE = {"a": {"n": 1, "x": 1.5, "t": "text", "list": [1, 2]}, "log": [], "stock": {"p": 3, "q": 0}}


def done(*effects, state=None, let=None, path=None, arguments=None, **handler):
    """A case after one call of a tool with these effects, and the record of the call."""
    given = {"kind": "mutate", "effects": list(effects)} | handler
    given |= {"let": let} if let is not None else {}
    given |= {"path": path} if path is not None else {}
    case = Case(twin({"handler": given}, initialState=state or STATE))
    return case, case(**(arguments or {}))


def state_after(*effects, **more):
    case, call = done(*effects, **more)
    assert call.status == 200, call.body
    return case.state


def failure(*effects, **more):
    """The reason why the twin failed."""
    case, call = done(*effects, **more)
    assert (call.status, case.state) == (500, more.get("state") or STATE)
    return case.world.twin_error


def op(kind, path, **more):
    return {"op": kind, "path": path} | more


# operations


def test_set_puts_a_value():
    assert state_after(op("set", "a.t", value={"new": 1}))["a"]["t"] == {"new": 1}


def test_set_makes_the_objects_on_the_way():
    assert state_after(op("set", "b.c.d", value=1))["b"] == {"c": {"d": 1}}


def test_set_takes_null_as_a_value():
    assert state_after(op("set", "a.t", value=None))["a"]["t"] is None


def test_set_needs_a_value():
    assert failure(op("set", "a.t", value="{x?}")) == "t: there is no value to set at a.t"


def test_set_does_not_go_through_a_scalar():
    assert "a.n is 1" in failure(op("set", "a.n.m", value=1))


@pytest.mark.parametrize(
    ("kind", "path", "by", "after"),
    [
        ("increment", "a.n", 2, 3),
        ("increment", "a.n", -2, -1),
        ("increment", "a.n", 0.5, 1.5),
        ("increment", "a.x", 0.5, 2),
        ("decrement", "a.n", 2, -1),
        ("decrement", "a.x", 1, 0.5),
    ],
)
def test_numbers_are_counted_up_and_down(kind, path, by, after):
    _, key = path.split(".")
    value = state_after(op(kind, path, by=by))["a"][key]
    assert (value, type(value)) == (after, type(after))


@pytest.mark.parametrize(("kind", "after"), [("increment", 1), ("decrement", -1)])
def test_what_is_missing_counts_as_nothing(kind, after):
    assert state_after(op(kind, "a.new.count"))["a"]["new"] == {"count": after}


def test_counting_is_exact_or_the_nearest_double():
    state = {"n": 2**53}
    value = state_after(op("increment", "n", by=3), state=state)["n"]
    assert (value, type(value)) == (2.0**53 + 4, float)


def test_counting_past_every_number_is_the_twin_s_fault():
    assert "beyond the largest number" in failure(op("increment", "n", by=1e308), state={"n": 1.7e308})


@pytest.mark.parametrize(
    ("path", "by", "reason"),
    [
        ("a.t", 1, 't: increment needs numbers, but what stands at a.t is "text"'),
        ("a.n", "{by}", "t: increment needs numbers, but by is true"),
    ],
)
def test_only_numbers_are_counted(path, by, reason):
    assert failure(op("increment", path, by=by), arguments={"by": True}) == reason


def test_decrement_names_itself():
    assert failure(op("decrement", "a.t")) == 't: decrement needs numbers, but what stands at a.t is "text"'


def test_append_adds_at_the_end():
    assert state_after(op("append", "a.list", value=3))["a"]["list"] == [1, 2, 3]


def test_append_begins_a_list():
    assert state_after(op("append", "b.new", value=3))["b"] == {"new": [3]}


def test_append_needs_a_list():
    assert 'a.t is "text", not a list' in failure(op("append", "a.t", value=1))


def test_append_needs_a_value():
    assert failure(op("append", "log", value="{x?}")) == "t: there is no value to append at log"


def test_delete_takes_out():
    assert "t" not in state_after(op("delete", "a.t"))["a"]


def test_deleting_what_is_missing_changes_nothing():
    _, call = done(op("delete", "a.none.at.all"))
    assert (call.status, call.changes) == (200, ())


def test_merge_patches():
    patch = {"t": None, "n": 2, "new": {"deep": 1}}
    after = state_after(op("merge", "a", value=patch))["a"]
    assert after == {"n": 2, "x": 1.5, "list": [1, 2], "new": {"deep": 1}}


def test_merge_needs_a_value():
    assert failure(op("merge", "a", value="{x?}")) == "t: there is no value to merge at a"


def test_merge_takes_a_part_of_the_state():
    assert state_after(op("merge", "b", value="{state.stock}"))["b"] == {"p": 3, "q": 0}


def test_negative_indices_count_from_the_end():
    assert state_after(op("set", "a.list[-1]", value=9))["a"]["list"] == [1, 9]


# if


@pytest.mark.parametrize(("condition", "length"), [("true", 1), ("false", 0), ("1", 0), ("{= n > 0 }", 1)])
def test_an_operation_may_depend_on_a_condition(condition, length):
    effect = op("append", "log", value=1) | {"if": condition}
    assert len(state_after(effect, arguments={"n": 1})["log"]) == length


# order


def test_effects_see_the_effects_before_them():
    after = state_after(
        op("increment", "a.n"),
        op("set", "a.seen", value="{state.a.n}"),
        op("set", "a.too", value="{value.seen}"),
        path="a",
    )
    assert (after["a"]["seen"], after["a"]["too"]) == (2, 2)


def test_a_condition_sees_the_effects_before_it():
    after = state_after(op("increment", "a.n"), op("append", "log", value=1) | {"if": "state.a.n == 2"})
    assert after["log"] == [1]


def test_a_path_sees_the_effects_before_it():
    after = state_after(op("set", "a.key", value="k"), op("set", "stock[{value.key}]", value=1), path="a")
    assert after["stock"]["k"] == 1


def test_all_or_nothing():
    assert failure(op("increment", "a.n"), op("append", "a.t", value=1)).startswith("t: ")


def test_a_record_may_be_moved_by_its_own_effects():
    after = state_after(
        op("set", "b", value="{value}"), op("delete", "a"), op("set", "c", value="{state.b.n}"), path="a"
    )
    assert (after["b"], after["c"], "a" in after) == (STATE["a"], 1, False)


# let


def test_a_name_is_computed_on_the_state_before_the_effects():
    after = state_after(
        op("increment", "a.n"), op("append", "log", value="{old}"), let={"old": "{state.a.n}"}
    )
    assert after["log"] == [1]


def test_a_name_keeps_what_it_saw_whatever_is_written_into_it():
    effects = [op("set", "a.n", value=9), op("append", "log", value="{old.n}")]
    assert state_after(*effects, let={"old": "{state.a}"})["log"] == [1]


def test_names_may_use_one_another_in_any_order():
    after = state_after(
        op("append", "log", value="{second}"),
        let={"second": "{= first + 1 }", "first": "{= state.a.n + 1 }"},
    )
    assert after["log"] == [3]


def test_a_name_that_needs_itself_is_the_twin_s_fault():
    assert "needed to compute itself" in failure(op("append", "log", value=1), let={"x": "{= x + 1 }"})


def test_a_name_is_not_computed_for_a_call_that_is_refused():
    _, call = done(
        op("append", "log", value=1),
        let={"broken": "{= 1 / 0 }"},
        preconditions=[{"that": "false"}],
    )
    assert call.status == 409


def test_a_guard_may_use_a_name():
    _, call = done(op("append", "log", value=1), let={"n": "{state.a.n}"}, preconditions=[{"that": "n == 2"}])
    assert call.status == 409


def test_every_name_is_computed_before_the_first_effect():
    assert "division by zero" in failure(op("append", "log", value=1), let={"broken": "{= 1 / 0 }"})


def test_a_read_computes_only_the_names_it_uses():
    handler = {"kind": "read", "let": {"broken": "{= 1 / 0 }", "one": 1}, "response": "{one}"}
    assert Case(twin({"handler": handler}))().body == 1


def test_a_name_may_be_nothing():
    after = state_after(op("append", "log", value={"a": "{x?}", "b": 1}), let={"x": "{state.none?}"})
    assert after["log"] == [{"b": 1}]


# blocks


def each(source, name, *effects, **more):
    return {"forEach": {"in": source, "as": name}, "effects": list(effects)} | more


def test_a_block_goes_through_a_list():
    block = each("{items}", "item", op("append", "log", value="{item.id}"))
    assert state_after(block, arguments={"items": [{"id": 1}, {"id": 2}]})["log"] == [1, 2]


def test_a_block_without_a_list_happens_once():
    block = {"let": {"n": "{state.a.n}"}, "effects": [op("append", "log", value="{n}")]}
    assert state_after(block)["log"] == [1]


def test_in_a_block_the_element_binds_first_then_let_then_if():
    block = each(
        "{items}",
        "item",
        op("append", "log", value="{double}"),
        let={"double": "{= item * 2 }"},
    ) | {"if": "double > 2"}
    assert state_after(block, arguments={"items": [1, 2, 3]})["log"] == [4, 6]


def test_names_of_a_block_may_use_one_another_in_any_order():
    block = each("{items}", "i", op("append", "log", value="{b}"), let={"b": "{= a * 2 }", "a": "{= i + 1 }"})
    assert state_after(block, arguments={"items": [1]})["log"] == [4]


def test_every_turn_of_a_block_sees_the_turns_before_it():
    block = each(
        "{items}", "i", op("append", "log", value="{n}"), op("increment", "a.n"), let={"n": "{state.a.n}"}
    )
    assert state_after(block, arguments={"items": [1, 1]})["log"] == [1, 2]


def test_the_list_is_taken_once():
    block = each("{state.a.list}", "i", op("append", "a.list", value="{i}"))
    assert state_after(block)["a"]["list"] == [1, 2, 1, 2]


def test_an_element_stays_as_it_was_taken():
    state = {"rows": [{"n": 1}, {"n": 1}], "log": []}
    block = each("{state.rows}", "row", op("set", "rows[1].n", value=5), op("append", "log", value="{row.n}"))
    assert state_after(block, state=state)["log"] == [1, 1]


def test_the_list_sees_the_effects_before_it():
    block = each("{state.log}", "i", op("increment", "a.n", by="{i}"))
    assert state_after(op("append", "log", value=4), block)["a"]["n"] == 5


def test_blocks_nest():
    inner = each("{row}", "cell", op("append", "log", value="{cell}"))
    assert state_after(each("{rows}", "row", inner), arguments={"rows": [[1, 2], [3]]})["log"] == [1, 2, 3]


def test_what_is_gone_through_is_a_list():
    assert (
        failure(each("{x}", "i", op("delete", "a")), arguments={"x": {}}) == "t: forEach needs a list, not {}"
    )


def test_an_expression_may_name_the_elements():
    block = each("{= state.stock.keys().filter(k, state.stock[k] == 0) }", "k", op("delete", "stock[{k}]"))
    assert state_after(block)["stock"] == {"p": 3}


def test_the_steps_of_a_call_are_limited():
    inner = each("{items}", "b", op("increment", "a.n") | {"if": "false"})
    block = each("{items}", "a", inner)
    assert "more steps than its budget" in failure(block, arguments={"items": [0] * 400})


# paths


def test_an_argument_is_one_segment_whatever_it_contains():
    case, _ = done(op("set", "stock[{key}]", value=1), arguments={"key": "a.b[0]['c']"})
    assert case.state["stock"]["a.b[0]['c']"] == 1
    assert shown(case.world.changes) == [("stock['a.b[0][\\'c\\']']", ..., 1)]


def test_a_number_is_an_index_and_never_a_key():
    assert failure(op("set", "stock[{key}]", value=1), arguments={"key": 0}) == (
        "t: stock is an object and has no index 0"
    )


def test_a_segment_is_text_or_an_integer():
    assert "a segment of a path is text or an integer" in failure(
        op("set", "stock[{key}]", value=1), arguments={"key": None}
    )
