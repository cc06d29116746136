"""Searching the knowledge base."""

import pytest

from agenttwin.twin import begin, search
from tests.unit.twin._cases import Case, fault, twin

KB = [
    {"id": "refunds", "title": "Refund policy", "text": "Refunds within 30 days."},
    {"id": "shipping", "title": "Shipping", "content": "Orders leave within two days."},
    {"id": "odd", "text": 30},
]
TWIN = twin({"handler": {"kind": "read", "response": 1}}, initialState={"kb": KB})


def found(query, world=None, **more):
    documents, _ = search(TWIN, world or begin(TWIN), query, **more)
    return [document["id"] for document in documents]


def test_the_most_common_words_come_first():
    assert found("refunds within 30 days") == ["refunds", "shipping", "odd"]


def test_titles_texts_and_contents_are_searched():
    assert (found("POLICY"), found("leave"), found("shipping")) == (["refunds"], ["shipping"], ["shipping"])


def test_documents_without_a_common_word_are_left_out():
    assert found("refund") == ["refunds"]
    assert found("elephants") == []


def test_equal_documents_keep_their_order():
    assert found("within") == ["refunds", "shipping"]


def test_ids_are_not_searched():
    assert found("odd") == []


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (2, 2), (9, 3), (-1, 0)])
def test_so_many_are_given(limit, count):
    assert len(found("within 30", limit=limit)) == count


def test_five_are_given_by_default():
    world = begin(TWIN, state={"kb": [{"id": str(index), "text": "word"} for index in range(9)]})
    assert found("word", world) == ["0", "1", "2", "3", "4"]


def test_a_document_says_whether_it_is_trusted():
    world = begin(TWIN, documents=[{"id": "foreign", "content": "refund"}])
    documents, retrieval = search(TWIN, world, "refund")
    assert [document["trusted"] for document in documents] == [True, False]
    assert retrieval.documents == (("refunds", True), ("foreign", False))


@pytest.mark.parametrize("trusted", ["true", 1, None])
def test_only_true_is_trusted(trusted):
    world = begin(TWIN, state={"kb": [{"id": "x", "text": "word", "trusted": trusted}]})
    assert search(TWIN, world, "word")[0][0]["trusted"] is False


def test_a_document_may_be_a_text():
    world = begin(TWIN, state={"kb": ["a word"]})
    documents, retrieval = search(TWIN, world, "word")
    assert documents == [{"content": "a word", "trusted": True}]
    assert retrieval.documents == (("", True),)


def test_a_search_is_recorded_in_its_place():
    case = Case(TWIN)
    case("t")
    _, retrieval = search(TWIN, case.world, "refund?")
    assert (retrieval.seq, retrieval.query) == (2, "refund?")
    assert case.world.records[1] is retrieval
    assert (case("t").seq, len(case.world.calls)) == (3, 2)


def test_a_search_is_no_call():
    world = begin(TWIN, call_limit=0)
    assert found("refund", world) == ["refunds"]
    assert world.tool_calls == 0


def test_faults_do_not_touch_searches():
    assert found("refund", begin(TWIN, faults=[fault("dropped_connection")])) == ["refunds"]


def test_what_was_written_is_found():
    write = {"op": "append", "path": "kb", "value": {"id": "new", "text": "{text}"}}
    compiled = twin({"handler": {"kind": "mutate", "effects": [write]}}, initialState={"kb": KB})
    case = Case(compiled)
    case(text="elephants")
    assert search(compiled, case.world, "elephants")[0][0]["id"] == "new"


@pytest.mark.parametrize("kb", [None, {"a": 1}, "text"])
def test_without_a_list_nothing_is_found(kb):
    assert found("a", begin(TWIN, state={"kb": kb})) == []


def test_the_knowledge_base_may_lie_elsewhere():
    compiled = twin(
        {"handler": {"kind": "echo"}},
        initialState={"docs": {"all": [{"id": "x", "text": "word"}]}},
        retrieval={"statePath": "docs.all"},
    )
    assert search(compiled, begin(compiled), "word")[0][0]["id"] == "x"


@pytest.mark.parametrize("size", [4095, 4096, 4097])
def test_a_query_is_cut(size):
    _, retrieval = search(TWIN, begin(TWIN), "x" * size)
    assert len(retrieval.query) == min(size, 4096)


@pytest.mark.parametrize(("query", "recorded"), [("\ud800", "?"), (None, "None"), (7, "7")])
def test_a_query_may_be_anything(query, recorded):
    assert search(TWIN, begin(TWIN), query)[1].query == recorded


def test_the_documents_are_the_caller_s():
    world = begin(TWIN)
    search(TWIN, world, "refund")[0][0]["title"] = "changed"
    assert world.tree.plain()["kb"] == KB
