"""The wire is declared once, by the server."""

from tools.web_types import TARGET, main


def test_the_types_of_the_app_are_those_that_the_server_describes(tmp_path):
    fresh = tmp_path / "schema.ts"
    main(fresh)
    assert fresh.read_text("utf-8") == TARGET.read_text("utf-8"), "Run `python -m tools.web_types`."
