"""The exceptions: message, remedy, and a trip through pickle."""

import pickle

import pytest

from agenttwin.errors import CODES, AgentTwinError, DocumentError, LimitExceeded, Problem, UsageError


def test_an_error_reads_as_message_and_remedy() -> None:
    told = str(UsageError("no_such_flag", "There is no --foo.", "Use --bar."))
    assert told == "There is no --foo. Use --bar."


def test_the_remedy_defaults_to_that_of_the_code() -> None:
    assert AgentTwinError("not_utf8", "The file is not UTF-8.").remedy == CODES["not_utf8"].remedy


def test_a_document_error_lists_every_problem_and_their_number() -> None:
    error = DocumentError([Problem(code="a", message="one"), Problem(code="b", message="two")])
    assert str(error) == "one [a]\ntwo [b]\n2 problems"
    assert error.code == "invalid_document"


@pytest.mark.parametrize(
    "error",
    [LimitExceeded("too_many_nodes", "m", "r"), DocumentError([Problem(code="a", message="one")])],
)
def test_errors_survive_another_process(error: AgentTwinError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
