"""The one table of stable codes: what each means, what brings it about, what to do.

One row a code, one line a row; a code never changes its meaning once released.
"""
# ruff: noqa: E501 - a row is one line, so that the table reads, sorts and merges as a table
# fmt: off

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """What a code stands for: its meaning, something that brings it about, and what to do about it."""

    title: str
    example: str
    remedy: str


CODES: Mapping[str, CodeEntry] = MappingProxyType({
    # documents: text
    "invalid_document": CodeEntry("A document has problems", "agenttwin check", "Fix the listed problems; each names its line."),
    "syntax_error": CodeEntry("The text is not YAML or JSON", "name: [READ", "Close what was opened, and quote text that holds : # { } [ ] , & * ! | > % @."),
    "not_utf8": CodeEntry("The file is not text in UTF-8", "a file saved as UTF-16 or Latin-1", "Save the file as UTF-8."),
    "byte_order_mark": CodeEntry("The file begins with a byte order mark", "\ufeffkind: Scenario", "Save the file as UTF-8 without a byte order mark."),
    "document_too_large": CodeEntry("The document has more bytes than its kind may have", "a scenario of 600 KiB", "Split the document, or move its data to a file that it names."),
    "document_too_deep": CodeEntry("The document nests deeper than its kind may", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "Flatten the data."),
    "too_many_nodes": CodeEntry("The document holds more values than its kind may", "a scenario with 30,000 records", "Split the document, or move its data to a file that it names."),
    "too_many_problems": CodeEntry("There are more problems than are shown", "a file of another tool", "Fix the listed problems first, then check again."),
    "tag_not_allowed": CodeEntry("YAML tags are not read", "seed: !!int '7'", "Write the plain value without the tag."),
    "anchor_not_allowed": CodeEntry("YAML anchors are not read", "first: &a 1", "Remove the anchor and write the value where it is needed."),
    "alias_not_allowed": CodeEntry("YAML aliases are not read", "second: *a", "Write the value itself in place of the alias."),
    "merge_key_not_allowed": CodeEntry("YAML merge keys are not read", "<<: {a: 1}", "Write the fields themselves."),
    "duplicate_key": CodeEntry("A key stands twice in one mapping", "{a: 1, a: 2}", "Keep one of the two."),
    "key_not_text": CodeEntry("A key is not text", "{1: one}", "Put the key in quotes."),
    "number_not_finite": CodeEntry("A number is infinite or not a number", "limit: .inf", "Write a finite number, or leave the field out."),
    "integer_too_large": CodeEntry("An integer beyond 2^53 cannot be held exactly", "order: 9007199254740993", "Put the number in quotes: ids are text."),
    "lone_surrogate": CodeEntry("Half of a surrogate pair is not a character", '{"a": "\\ud83d"}', "Write the whole character."),
    "not_json": CodeEntry("The text is not JSON", "{'a': 1}", "Write JSON: double quotes, no comments, no trailing commas."),
    # documents: shape
    "several_documents": CodeEntry("A file holds more than one document", "a second --- in the file", "Give each document a file of its own."),
    "not_a_document": CodeEntry("The text is no document: a document is a mapping with apiVersion, kind, metadata and spec", "- 1", "Begin with apiVersion: agenttwin.dev/v1 and kind."),
    "unknown_api_version": CodeEntry("The document is written for another version of the format", "apiVersion: v1", "Write apiVersion: agenttwin.dev/v1."),
    "unknown_kind": CodeEntry("The kind is not one that AgentTwin reads", "kind: Scenaro", "Use one of the listed kinds."),
    "missing_field": CodeEntry("A required field is missing", "a scenario without spec.twin", "Add the field."),
    "unknown_field": CodeEntry("The field is not one of this place", "riks: READ", "Correct the name, or remove the field."),
    "unknown_value": CodeEntry("The word is not in the valid set", "risk: REED", "Use one of the listed words."),
    "wrong_type": CodeEntry("The value has another type than the field", "callNumber: '1'", "Write a value of that type; quotes make text of a number."),
    "out_of_range": CodeEntry("A number is outside its bounds", "timeoutSeconds: 0", "Choose a number within the bounds."),
    "wrong_length": CodeEntry("A text, list or mapping is too short or too long", "expectations: []", "Keep within the bounds."),
    "pattern_mismatch": CodeEntry("A text does not have the required form", "name: My Twin", "Use only the characters that the pattern allows."),
    "invalid_value": CodeEntry("The value does not make sense here", "matches: '('", "Correct it as the message says."),
    # scenarios, manifests, datasets: by themselves and between them
    "conflicting_fields": CodeEntry("Two fields exclude each other", "input: {message: Hi, turns: [{say: Hi}]}", "Keep one of the two."),
    "duplicate_id": CodeEntry("An id stands twice in one document", "two expectations with the id refunded-once", "Give each its own id."),
    "duplicate_name": CodeEntry("A name stands twice where names must differ", "two scenarios called refund-happy-path", "Rename or remove one; a changed manifest needs a new version."),
    "reserved_id": CodeEntry("The id belongs to the expectation that every case has", "{id: agent-finished, type: noLoop}", "Choose another id."),
    "invalid_duration": CodeEntry("The text is no ISO 8601 duration", "after: 24h", "Write PT24H, P1DT30M or the like."),
    "invalid_time": CodeEntry("The text is no point in time", "now: tomorrow", "Write it as 2026-01-01T00:00:00Z."),
    "invalid_path": CodeEntry("The text is no path into a JSON value", "path: orders..status", "Write it as orders.ORD-1001.status, lines[0] or ['a key']."),
    "invalid_schema": CodeEntry("The value is no JSON Schema", "schema: {type: objct}", "Correct the schema as the message says; references may only lead within it."),
    "unknown_cover": CodeEntry("What is covered is no kind:name that is known", "covers: [tol:refund_payment]", "Write tool:, fault:, policy:, threat: or retrieval: and a name."),
    "may_be_skipped": CodeEntry("The expectation may not be judged at all", "{type: maxTokens, value: 900, critical: true}", "Make it not critical, or let the agent report what it needs."),
    "unknown_expectation": CodeEntry("There is no expectation of that id", "expectedFailures: [{expectation: e9, reason: known}]", "Use the id of an expectation of this scenario."),
    "unknown_twin": CodeEntry("There is no twin of that name", "twin: demo-co-suport", "Use the name of a twin of the workspace."),
    "unknown_agent": CodeEntry("There is no agent of that name", "agent: refund-agnt", "Use the name of an agent in agenttwin.yaml."),
    "unknown_tool": CodeEntry("The twin has no tool of that name", "{type: toolCalled, tool: send_mail}", "Use the name of a tool of the scenario's twin."),
    "not_repeated": CodeEntry("A scenario asks for more trials than are run", "trials: 5", "Read its result as that of one trial."),
    "unknown_scenario": CodeEntry("There is no scenario of that name", "suites: {smoke: {scenarios: [refund-hapy-path]}}", "Use the name of a scenario of the workspace."),
    "unknown_fault_rule": CodeEntry("The scenario has no such fault rule", "{type: faultFired, rule: '3'}", "Use the id of a fault rule, or its index from 0."),
    "unknown_suite": CodeEntry("There is no suite of that name", "agenttwin compare 1.2.4 1.3.0 --suite nightly", "Use a suite of agenttwin.yaml, or the name of a dataset."),
    "unknown_version": CodeEntry("The agent has no such version", "agenttwin compare 1.2.4 1.9.9", "Use one of the versions that have a manifest."),
    "matches_nothing": CodeEntry("A pattern or tag selects no scenario", "suites: {smoke: {scenarios: [smoke-*]}}", "Correct it, or remove it."),
    "unknown_argument": CodeEntry("The tool's inputSchema declares no such argument", "idempotency: {argument: idempotency_kye}", "Use one of the declared arguments, or declare it."),
    "unknown_name": CodeEntry("A text uses a name that is neither an argument nor a root", "message: There is no order {oder_id}.", "Use a declared argument, a let or forEach name, or a root."),
    "invalid_template": CodeEntry("A template or expression cannot be read", "that: amount <=", "Correct it as the message says; a brace itself is doubled."),
    "hidden_argument": CodeEntry("A let or forEach name would hide an argument", "let: {amount: 1} in a tool with the argument amount", "Choose another name."),
    "hidden_root": CodeEntry("A let or forEach name would hide a root or an outer name", "let: {state: 1}", "Choose another name."),
    "unused_let": CodeEntry("No tool uses a name of spec.let", "let: {limit: 100} in spec, and no tool that names it", "Use it, or remove it."),
    "ambiguous_name": CodeEntry("A name is an argument and a root; the argument is taken", "{id} in a tool with the argument id", "Write {args.id} for the argument, {$id} for the root."),
    "remote_reference": CodeEntry("A schema refers to something outside the document", "$ref: https://example.com/order.json", "Copy the referenced schema into $defs and refer to it with #/$defs/…."),
    "unsupported_schema": CodeEntry("A word of JSON Schema that is not supported", "patternProperties", "Name the properties, or use additionalProperties."),
    "unknown_adapter": CodeEntry("No adapter is registered under that name", "handler: {kind: custom, adapter: shp}", "Register the adapter, or correct its name."),
    "unknown_evaluator": CodeEntry("No evaluator is registered under that name", "{type: custom, evaluator: tone}", "Register the evaluator, or correct its name."),
    "invalid_state": CodeEntry("What a case begins with is not a JSON object that fits", "start(state=[1])", "Hand in a JSON object; the knowledge base is a list of objects."),
    "state_too_large": CodeEntry("A state has more than 64 MiB", "a copy of a production database", "Keep the records that the scenarios need."),
    "unknown_state_path": CodeEntry("The schema of the state has no such place", "path: orders.ORD-1001.refund_cuont", "Use a path that the twin's stateSchema describes."),
    "unlikely_state_path": CodeEntry("Nothing suggests that the state has such a place", "path: order.ORD-1001.status", "Check the spelling; an effect may still make it."),
    "state_mismatch": CodeEntry("A state does not fit the twin's stateSchema", "state: {orders: 7}", "Correct the state, or the schema."),
    "risk_mismatch": CodeEntry("Manifest and twin disagree about a tool's risk", "risk: READ in the manifest, WRITE_IRREVERSIBLE in the twin", "Correct the one that is wrong."),
    "digest_mismatch": CodeEntry("A scenario is not the one that was pinned", "a scenario edited after it joined the dataset", "Restore the scenario, or pin its new digest."),
    # workspaces and the code beside them
    "no_workspace": CodeEntry("There is no agenttwin.yaml here or above", "agenttwin check in an empty folder", "Go to a workspace, name one with -C DIR, or make one with agenttwin init."),
    "no_such_file": CodeEntry("A file that was named does not exist", "twins: twin.yml", "Correct the name; paths are relative to the file that names them."),
    "too_many_files": CodeEntry("A pattern matches more files than a workspace has", "scenarios: /**/*.yaml", "Write a narrower pattern."),
    "env_file_too_large": CodeEntry("The file .env is larger than 64 KiB", "a log that was named .env", "Keep only names and values in it."),
    "outside_of_workspace": CodeEntry("A document names a file outside of the workspace", "initialStateFrom: ../../state.json", "Copy the file into the workspace."),
    "unreadable_file": CodeEntry("A file cannot be read", "a scenario that only another user may read", "Make the file readable, or take it out of agenttwin.yaml."),
    "unexpected_kind": CodeEntry("A document is of another kind than the place that names it", "scenarios: twin.yaml", "Name it where its kind belongs."),
    "invalid_setting": CodeEntry("A setting is outside what it may be", "AGENTTWIN_CONCURRENCY=many", "Set it to one of the values that the message names."),
    "unset_variable": CodeEntry("A variable that agenttwin.yaml refers to is not set", "env: {STRIPE_KEY: \"${STRIPE_KEY}\"}", "Set it in the environment, or in a file .env beside agenttwin.yaml."),
    "no_such_module": CodeEntry("A module that was named cannot be found", "target: \"agnt:run\"", "Correct the name; the workspace's folder is on the import path."),
    "no_such_function": CodeEntry("A module has no function of that name", "target: \"agent:rum\"", "Use the name of a function of that module."),
    "broken_module": CodeEntry("Code beside the workspace fails when it is imported", "import opanai in agent.py", "Correct the code at the line that is named, or install what it needs."),
    "no_such_program": CodeEntry("A program that was named cannot be found", "argv: [pyhton, agent.py]", "Correct the name; a path counts from the folder in which it runs."),
    "agent_not_started": CodeEntry("The agent's own server did not get ready", "start: [python, server.py] with a missing module", "Start it by hand to see why; it must listen on {port}."),
    "no_repository": CodeEntry("The workspace is in no git repository", "run: {kind: git, …} in a folder without .git", "Run git init and commit, or run the agent in another way."),
    "unknown_ref": CodeEntry("Git knows no such branch, tag or commit", "agenttwin compare mian HEAD", "Use one that git branch, git tag or git log shows, or WORKTREE for the files as they are."),
    "git_failed": CodeEntry("Git could not do what it was asked", "a repository that another user owns", "Do what git says; AgentTwin needs git 2.31 or newer."),
    "setup_failed": CodeEntry("The set-up of a version failed", "setup: [npm, ci] without a lock file", "Correct the set-up command; it is run anew the next time."),
    "no_such_folder": CodeEntry("A version has no folder of that name", "folder: agents/clerk at a commit before it was made", "Name a folder that both versions have."),
    "no_model": CodeEntry("The manifest of a version names no language model", "model: {provider: scripted} for run: {kind: model, …}", "Write model: {provider: …, name: …} into the manifest."),
    "no_price": CodeEntry("A run may cost so much, and nobody knows what it costs", "--max-cost 5 without prices in agenttwin.yaml", "Write prices: {NAME: {inputPerMillion: …, outputPerMillion: …}} into agenttwin.yaml."),
    "unpinned_prompt": CodeEntry("A system prompt in a file is not the one that the manifest pins", "system: prompt.md, edited since", "Write its digest into the promptRef of a new version."),
    "ambiguous_version": CodeEntry("Several agents have that version", "agenttwin compare 1.2.4 1.3.0 where two agents have a 1.2.4", "Name the agent too: agent@1.2.4."),
    "invalid_expectation": CodeEntry("An expectation that was handed in is none", "case.assert_holds(\"maxToolCall\", value=3)", "Write it as a scenario would: its type, and its fields by name."),
    "invalid_fault": CodeEntry("A fault that was handed in is none", "case = twin.start(faults=[{\"type\": \"delay\"}])", "Write it as a scenario would: target, when, behavior."),
    "unknown_example": CodeEntry("There is no example of that name", "agenttwin init --example support", "Use one of the listed examples."),
    "file_exists": CodeEntry("A file is in the way", "agenttwin init in a folder that has an agenttwin.yaml", "Choose another folder, or move the file away."),
    # reports
    "unknown_format": CodeEntry("There is no report format of that name", "agenttwin compare 1.2.4 1.3.0 --report htlm=out.html", "Use one of the listed formats."),
    "missing_report_path": CodeEntry("A report needs a file to go to", "agenttwin compare 1.2.4 1.3.0 --report html", "Write it as FORMAT=PATH, such as --report html=report.html."),
    "conflicting_reports": CodeEntry("Two reports would overwrite one another", "--report html=out --report junit=out", "Give each report a file of its own."),
    "unwritable_report": CodeEntry("The file of a report cannot be written", "--report html=/proc/report.html", "Choose a file in a folder that you may write to."),
    "unwritable_file": CodeEntry("A file cannot be written", "agenttwin twin check in a folder that is read-only", "Make the folder writable, or work on a copy of it."),
    # people
    "invalid_override": CodeEntry("A person decides PASS or FAIL, nothing else", "agenttwin review CASE --verdict SKIPPED", "Say PASS or FAIL."),
    "missing_note": CodeEntry("An override says why", "agenttwin review CASE --verdict PASS --note ''", "Write a note of at least one word."),
    "note_too_long": CodeEntry("A note has a limit", "a note of 10,000 characters", "Write it shorter, and link to the rest."),
    # surfaces
    "missing_extra": CodeEntry("A part of the product needs a package that is not installed", "agenttwin twin serve twin.yaml in a base installation", "Install the extra that the message names."),
    "server_failed": CodeEntry("The server could not start", "a machine without a free thread", "Try again; the message says what the system answered."),
    "address_unavailable": CodeEntry("The address cannot be listened on", "agenttwin twin serve twin.yaml --port 80", "Choose another port, or leave --port out to get a free one."),
    "remote_not_allowed": CodeEntry("Other machines are let in only when that is asked for", "agenttwin twin serve twin.yaml --host 0.0.0.0", "Add --allow-remote if you trust everybody who can reach it, or leave --host out."),
    "invalid_token": CodeEntry("A token is the name of a case in an address", "agenttwin twin serve twin.yaml --token 'my case'", "Use letters, digits, - and _, at most 64."),
    "token_taken": CodeEntry("Two cases have the same token", "the same case registered twice", "Give each case a token of its own."),
    "too_many_cases": CodeEntry("A server hosts no more cases at a time", "a run with thousands of cases side by side", "Lower the concurrency, or use a second server."),
    # runs and what is kept of them
    "case_closed": CodeEntry("A tool was called after the end of its case", "a thread of the agent that goes on past the deadline", "End the agent's own threads before it returns."),
    "too_many_events": CodeEntry("A case records no more calls and searches", "an agent that calls a tool in an endless loop", "Let the agent stop when a tool refuses its calls."),
    "key_conflict": CodeEntry("The key stands for another comparison or run", "agenttwin compare 1.2.4 1.3.1 --key nightly", "Use a new key, or ask for what the key stands for."),
    "unknown_run": CodeEntry("No comparison and no run has this name", "agenttwin show 01jz", "Use an id or key that agenttwin list shows."),
    "incomplete_run": CodeEntry("A run has cases that were never recorded", "agenttwin regrade ID of a run that was interrupted", "Run it again with the same --key, which finishes it."),
    "changed_since": CodeEntry("A stored run is of something else than what is here now", "agenttwin compare --baseline-run last 1.3.0 after a scenario was edited", "Run the agent again."),
    "ambiguous_run": CodeEntry("The beginning of a name fits several", "agenttwin show 0", "Write more of the id."),
    "unknown_case": CodeEntry("The run has no such case", "agenttwin show refund-hapy-path", "Use a scenario of the run, and a trial that it has."),
    "no_comparison": CodeEntry("Nothing was compared yet", "agenttwin show in a new workspace", "Run agenttwin compare first."),
    "unknown_document": CodeEntry("No document with this digest is stored", "a digest of another database", "Use a digest that the run names."),
    "unknown_content": CodeEntry("A part of the stored data is missing", "a database that was edited by hand", "Restore the database from a copy, or run again."),
    "database_locked": CodeEntry("Another process is writing to the database and does not let go", "a debugger that halts a run", "Wait for the other process or end it, then try again; what was finished is kept."),
    "disk_full": CodeEntry("There is no room left on the disk", "a full volume", "Free some space, then finish the run with its key; what was finished is kept."),
    "database_corrupt": CodeEntry("The file is no database, or it is damaged", "a text file named agenttwin.db", "Restore the file from a copy, or move it away and run again."),
    "database_unwritable": CodeEntry("The database cannot be written to", "a workspace in a read-only folder", "Make the folder .agenttwin writable, or work on a copy of the workspace."),
    "database_unreadable": CodeEntry("Reading or writing the database failed", "a disk that fails", "Check the disk; copy the file somewhere safe."),
    "database_newer": CodeEntry("A newer AgentTwin wrote the database", "an older release used in the same workspace", "Upgrade AgentTwin, or use another workspace."),
})
