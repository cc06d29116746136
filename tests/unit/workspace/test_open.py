"""Opening a workspace reads every file that it names, and tells all that is wrong at once."""

import json
import os

import pytest

from agenttwin.errors import NotFound
from agenttwin.workspace import _reading as reading
from agenttwin.workspace import find_root, open_workspace
from tests.unit.scenario._documents import DATASET, MANIFEST, SCENARIO, TWIN
from tests.unit.workspace._workspace import FILE, changed, opened, problems, refusal, write


def test_a_workspace_holds_what_it_names(tmp_path):
    workspace = opened(write(tmp_path))
    assert workspace.root == tmp_path
    assert list(workspace.library.twins) == ["shop"]
    assert list(workspace.library.scenarios) == ["pays-once"]
    assert list(workspace.library.manifests) == [("clerk", "1.0.0")]
    assert workspace.library.agents == ("clerk",)
    assert workspace.warnings == ()
    assert workspace.database == tmp_path / ".agenttwin" / "agenttwin.db"


@pytest.mark.parametrize("start", [".", "scenarios", "agenttwin.yaml", "scenarios/pays-once.json"])
def test_it_is_found_from_below(tmp_path, start):
    assert find_root(write(tmp_path) / start) == tmp_path


def test_the_folder_one_is_in_is_the_default(tmp_path, monkeypatch):
    monkeypatch.chdir(write(tmp_path))
    assert open_workspace(environ={}).root == tmp_path


def test_where_there_is_none_it_says_so(tmp_path):
    said = refusal(NotFound, find_root, tmp_path)
    assert said == f"There is no agenttwin.yaml in {tmp_path} or above it. [no_workspace]"


def test_a_folder_that_is_not_there_is_not_taken_for_the_one_above(tmp_path):
    said = refusal(NotFound, find_root, write(tmp_path) / "nowhere")
    assert said == f"There is no folder '{tmp_path / 'nowhere'}'. [no_such_file]"


def test_problems_of_all_files_are_told_together_in_their_order(tmp_path):
    write(
        tmp_path,
        {
            "twin.json": "{",
            "scenarios/pays-once.json": changed(SCENARIO, metadata={"severity": "urgent"}),
            "manifests/1.0.0.json": changed(MANIFEST, spec={"limits": {"maxSteps": 0}}),
        },
        seed=-1,
    )
    assert [line.partition(": ")[0] for line in problems(tmp_path)] == ["agenttwin.yaml:7:7"]
    write(
        tmp_path,
        {"twin.json": "{", "scenarios/pays-once.json": changed(SCENARIO, metadata={"severity": "urgent"})},
    )
    assert [line.partition(":")[0] for line in problems(tmp_path)] == [
        "scenarios/pays-once.json",
        "twin.json",
    ]


# -- the file itself


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "twins: t\nscenarios: s\nagnets: {}\n",
            "agenttwin.yaml:3:1: agnets: 'agnets' is no field here; did you mean 'agents'?",
        ),
        ("twins: t\n", "agenttwin.yaml:1:1: scenarios: the field 'scenarios' is missing [missing_field]"),
        (FILE.replace("clerk:run", "clerk.run"), "agenttwin.yaml:4:33: agents.clerk.run.target: 'clerk.run'"),
        (
            FILE.replace("python", "pithon"),
            "agenttwin.yaml:4:17: agents.clerk.run.kind: 'pithon' is not one of the valid words; did you mean"
            " 'python'?",
        ),
        (FILE + "concurrency: 257\n", "agenttwin.yaml:7:14: concurrency: 257 must be at most 256 [out_of"),
        (
            FILE + "isolation: fibre\n",
            "agenttwin.yaml:7:12: isolation: 'fibre' is not one of the valid words. One of: thread, process",
        ),
        (FILE + "adapters: {shop: shop}\n", "agenttwin.yaml:7:18: adapters.shop: 'shop'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_file_is_told_with_its_place(tmp_path, text, message):
    (said,) = problems(write(tmp_path, {"agenttwin.yaml": text}))
    assert said.startswith(message)


def test_an_agent_has_a_name_that_a_manifest_can_have(tmp_path):
    (said,) = problems(write(tmp_path, {"agenttwin.yaml": FILE.replace("clerk:\n", "The Clerk:\n")}))
    assert said.startswith("agenttwin.yaml:2:3: agents['The Clerk']: 'The Clerk' ")


def test_an_agent_is_found_by_its_name(tmp_path):
    workspace = opened(write(tmp_path))
    assert workspace.agent("clerk").run.target == "clerk:run"
    said = refusal(NotFound, workspace.agent, "clark")
    assert said == "There is no agent 'clark' in agenttwin.yaml. Did you mean 'clerk'? [unknown_agent]"


# -- files and globs


def test_a_list_may_hold_files_and_globs(tmp_path):
    other = changed(SCENARIO, metadata={"name": "pays-twice"})
    deep = changed(SCENARIO, metadata={"name": "pays-never"})
    listed = FILE.replace("scenarios/*.json", "[scenarios/pays-once.json, more/**/*.json]")
    files = {"agenttwin.yaml": listed, "more/a.json": other, "more/deep/er/b.json": deep}
    assert set(opened(write(tmp_path, files)).library.scenarios) == {"pays-once", "pays-twice", "pays-never"}


def test_a_file_that_two_patterns_name_is_read_once(tmp_path):
    listed = FILE.replace("scenarios/*.json", "[scenarios/*.json, ./scenarios/pays-once.json]")
    assert problems(write(tmp_path, {"agenttwin.yaml": listed})) == []


def test_a_file_that_is_not_there_is_an_error_with_its_neighbour(tmp_path):
    assert problems(write(tmp_path, {"agenttwin.yaml": FILE.replace("twin.json", "twin.jsn")}))[0] == (
        "agenttwin.yaml:5:8: twins: there is no file 'twin.jsn'; did you mean 'twin.json'? [no_such_file]"
    )


def test_the_place_in_a_list_is_told(tmp_path):
    (said,) = problems(write(tmp_path, datasets=["golden.json"]))
    assert said.startswith("agenttwin.yaml:7:12: datasets[0]: there is no file 'golden.json' [")


def test_a_glob_that_matches_nothing_is_a_warning(tmp_path):
    assert problems(write(tmp_path, datasets="data/*.json")) == [
        "agenttwin.yaml:7:11: warning: datasets: no file matches 'data/*.json' [no_such_file]"
    ]


def test_a_name_with_the_signs_of_a_glob_is_a_name_first(tmp_path):
    listed = FILE.replace("twin.json", "'twin[1].json'")
    files = {"agenttwin.yaml": listed, "twin.json": None, "twin[1].json": json.dumps(TWIN)}
    assert problems(write(tmp_path, files)) == []


@pytest.mark.parametrize(
    "pattern", ["**x*.json", "[", "a\\0*", "", "..", "x" * 5000, "x" * 5000 + "*", "/nowhere/*.json"]
)
def test_odd_patterns_match_nothing(tmp_path, pattern):
    (said,) = problems(write(tmp_path, datasets=[pattern]))
    assert said.endswith("[no_such_file]")


def test_globs_see_neither_hidden_files_nor_the_workspace_itself(tmp_path):
    listed = FILE.replace("scenarios/*.json", "'**/p*.json'") + "datasets: '*.yaml'\n"
    (said,) = problems(write(tmp_path, {"agenttwin.yaml": listed, ".old/pays.json": "{", ".pays.json": "{"}))
    assert said.endswith("no file matches '*.yaml' [no_such_file]")


def test_too_many_files_are_most_likely_a_mistake(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILES", 2)
    names = [f"s{n}.json" for n in range(3)]
    texts = {
        f"scenarios/{name}": changed(SCENARIO, metadata={"name": name.removesuffix(".json")})
        for name in names
    }
    write(tmp_path, {**texts, "scenarios/pays-once.json": None})
    assert problems(tmp_path) == [
        "agenttwin.yaml:6:12: scenarios: 'scenarios/*.json' matches more than 2 files [too_many_files]"
    ]
    (tmp_path / "scenarios/s0.json").unlink()
    assert problems(tmp_path) == []


def test_a_document_of_another_kind_is_told_where_it_is_listed(tmp_path):
    (said,) = problems(write(tmp_path, {"scenarios/twin.json": json.dumps(TWIN)}))
    assert said.startswith("scenarios/twin.json:1:")
    assert said.endswith(
        "kind: agenttwin.yaml lists this file under scenarios, where the kind is 'Scenario' [unexpected_kind]"
    )


def test_a_document_may_lie_outside(tmp_path):
    outside = tmp_path / "shared" / "twin.json"
    outside.parent.mkdir()
    outside.write_text(json.dumps(TWIN))
    root = write(
        tmp_path / "here",
        {"agenttwin.yaml": FILE.replace("twin.json", "../shared/twin.json"), "twin.json": None},
    )
    assert opened(root).library.twins["shop"].source.file == "../shared/twin.json"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_told(tmp_path):
    (write(tmp_path) / "twin.json").chmod(0)
    assert problems(tmp_path)[0].startswith("twin.json:1:1: the file twin.json cannot be read: ")


def test_a_file_that_fails_while_it_is_read_is_told(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    write(tmp_path)
    monkeypatch.setattr(reading.Path, "open", fail)
    (said,) = [refusal(Exception, opened, tmp_path)]
    assert said == "The file agenttwin.yaml cannot be read: Input/output error. [unreadable_file]"


def test_a_file_that_is_far_too_large_is_not_read_whole(tmp_path):
    with (write(tmp_path) / "twin.json").open("r+b") as file:
        file.truncate(33 * 1024 * 1024)
    assert problems(tmp_path)[0] == (
        "twin.json:1:1: the file twin.json has more than 33,554,432 bytes [document_too_large]"
    )


# -- several agents


TWO = FILE.replace(
    "twins:",
    '  cook:\n    manifests: [manifests/cook.json]\n    run: {kind: python, target: "cook:run"}\ntwins:',
)


def test_several_agents_have_manifests_of_their_own(tmp_path):
    cook = changed(MANIFEST, metadata={"name": "cook"})
    files = {
        "agenttwin.yaml": TWO.replace("manifests/*.json", "manifests/1*.json"),
        "manifests/cook.json": cook,
    }
    workspace = opened(write(tmp_path, files))
    assert workspace.library.agents == ("clerk", "cook")
    assert set(workspace.library.manifests) == {("clerk", "1.0.0"), ("cook", "1.0.0")}


def test_several_agents_may_share_a_folder(tmp_path):
    cook = changed(MANIFEST, metadata={"name": "cook"})
    workspace = opened(write(tmp_path, {"agenttwin.yaml": TWO, "manifests/cook.json": cook}))
    assert workspace.library.versions("cook") == ("1.0.0",)


def test_the_same_version_with_other_content_is_refused(tmp_path):
    (said,) = problems(
        write(tmp_path, {"manifests/again.json": changed(MANIFEST, spec={"instructions": "Be quick."})})
    )
    assert said.endswith(
        "version 1.0.0 of 'clerk' stands in manifests/1.0.0.json with other content [duplicate_name]"
    )


# -- what does not fit together


def test_references_between_documents_are_checked(tmp_path):
    (said,) = problems(
        write(tmp_path, {"scenarios/pays-once.json": changed(SCENARIO, spec={"twin": "shopp"})})
    )
    assert said.endswith(
        "spec.twin: there is no twin 'shopp'; did you mean 'shop'? One of: shop [unknown_twin]"
    )


def test_suites_are_checked(tmp_path):
    assert problems(
        write(tmp_path, suites={"a": {"scenarios": ["pays-onec"], "tags": ["x"]}}, default_suite="b")
    ) == [
        "agenttwin.yaml:7:30: suites.a.scenarios[0]: there is no scenario 'pays-onec'; did you mean"
        " 'pays-once'? One of: pays-once [unknown_scenario]",
        "agenttwin.yaml:7:53: warning: suites.a.tags[0]: no scenario has the tag 'x' [matches_nothing]",
        "agenttwin.yaml:8:16: default_suite: there is no suite 'b'. One of: a [unknown_suite]",
    ]


def test_a_dataset_is_a_suite_too(tmp_path):
    digest = opened(write(tmp_path)).library.scenarios["pays-once"].digest
    golden = changed(DATASET, spec={"cases": [{"scenario": "pays-once", "digest": digest}]})
    assert (
        problems(write(tmp_path, {"golden.json": golden}, datasets="golden.json", default_suite="golden"))
        == []
    )


CUSTOM_TWIN = changed(
    TWIN, spec={"tools": [{"name": "pay", "handler": {"kind": "custom", "adapter": "shop"}}]}
)


def test_a_handler_that_no_code_backs_is_told(tmp_path):
    (said,) = problems(write(tmp_path, {"twin.json": CUSTOM_TWIN}, adapters={"shopp": "clerk:shop"}))
    assert said.endswith(
        "spec.tools[0].handler.adapter: there is no adapter 'shop'; did you mean 'shopp'?"
        " One of: shopp [unknown_adapter]"
    )
    assert problems(write(tmp_path, {"twin.json": CUSTOM_TWIN}, adapters={"shop": "clerk:shop"})) == []


def test_an_evaluator_that_no_code_backs_is_told(tmp_path):
    custom = changed(SCENARIO, spec={"expectations": [{"type": "custom", "evaluator": "tone"}]})
    (said,) = problems(write(tmp_path, {"scenarios/pays-once.json": custom}))
    assert said.endswith("spec.expectations[0].evaluator: there is no evaluator 'tone' [unknown_evaluator]")
    assert problems(write(tmp_path, evaluators={"tone": "clerk:tone"})) == []


# -- warnings


UNLIKELY = changed(SCENARIO, spec={"expectations": [{"type": "state", "path": "nowhere"}]})


def test_a_warning_does_not_stop_anybody(tmp_path):
    workspace = opened(write(tmp_path, {"scenarios/pays-once.json": UNLIKELY}))
    assert [warning.code for warning in workspace.warnings] == ["unlikely_state_path"]


def test_strict_makes_warnings_errors(tmp_path):
    (said,) = problems(write(tmp_path, {"scenarios/pays-once.json": UNLIKELY}), strict=True)
    assert "warning" not in said
    assert said.endswith("[unlikely_state_path]")


def test_warnings_are_told_beside_errors(tmp_path):
    both = changed(SCENARIO, spec={"agent": "clark", "expectations": [{"type": "state", "path": "nowhere"}]})
    assert len(problems(write(tmp_path, {"scenarios/pays-once.json": both}))) == 2


# -- states in files


FROM_FILE = changed(TWIN, spec={"initialState": None, "initialStateFrom": "state.json"})


@pytest.mark.parametrize(("name", "text"), [("state.json", '{"a": 1}'), ("state.yaml", "a: 1\n")])
def test_a_state_may_lie_beside_the_twin(tmp_path, name, text):
    twin = changed(TWIN, spec={"initialState": None, "initialStateFrom": name})
    workspace = opened(write(tmp_path, {"twin.json": twin, name: text}))
    assert workspace.library.states == {"shop": {"a": 1}}
    assert workspace.library.twin_digest("shop") != workspace.library.twins["shop"].digest


def test_it_lies_beside_the_twin_and_not_beside_the_workspace(tmp_path):
    files = {"agenttwin.yaml": FILE.replace("twin.json", "twins/twin.json"), "twins/twin.json": FROM_FILE}
    assert opened(write(tmp_path, {**files, "twins/state.json": "{}"})).library.states == {"shop": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            None,
            "spec.initialStateFrom: there is no file 'state.json' with the state of the twin [no_such_file]",
        ),
        ("[1]", "state.json:1:1: a state is an object [invalid_state]"),
        ("{", "[not_json]"),
    ],
)
def test_a_state_that_is_none_is_told(tmp_path, text, message):
    (said,) = problems(write(tmp_path, {"twin.json": FROM_FILE, "state.json": text}))
    assert said.endswith(message)


# -- one broken document does not make others look broken


def test_a_broken_twin_is_no_missing_twin(tmp_path):
    (said,) = problems(write(tmp_path, {"twin.json": changed(TWIN, spec={"secrets": ["abc"]})}))
    assert said.endswith("[wrong_length]")


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "Twin"}'])
def test_nor_is_one_of_which_nothing_is_known(tmp_path, text):
    said = problems(write(tmp_path, {"twin.json": text}))
    assert [line for line in said if "unknown_twin" in line] == []
    assert said != []


def test_a_broken_tool_is_no_missing_tool(tmp_path):
    tools = [{**TWIN["spec"]["tools"][0], "handler": {"kind": "reed"}}, TWIN["spec"]["tools"][1]]
    given = changed(
        SCENARIO, spec={"expectations": [{"type": "toolCalled", "tool": name} for name in ("look", "loook")]}
    )
    said = problems(
        write(
            tmp_path, {"twin.json": changed(TWIN, spec={"tools": tools}), "scenarios/pays-once.json": given}
        )
    )
    assert [line.rpartition(" ")[2] for line in said] == ["[unknown_tool]", "[unknown_value]"]
    assert "'loook'" in said[0]


def test_references_of_a_broken_scenario_are_checked(tmp_path):
    given = changed(SCENARIO, metadata={"severity": "urgent"}, spec={"twin": "shopp"})
    said = problems(write(tmp_path, {"scenarios/pays-once.json": given}))
    assert [line.rpartition(" ")[2] for line in said] == ["[unknown_value]", "[unknown_twin]"]


def test_a_broken_scenario_is_no_missing_scenario(tmp_path):
    given = changed(SCENARIO, spec={"seed": "x"})
    (said,) = problems(
        write(tmp_path, {"scenarios/pays-once.json": given}, suites={"a": {"scenarios": ["pays-once"]}})
    )
    assert said.endswith("[wrong_type]")


def test_a_twin_that_is_not_there_is_told_once(tmp_path):
    (said,) = problems(write(tmp_path, {"twin.json": None}))
    assert said.endswith("there is no file 'twin.json' [no_such_file]")
