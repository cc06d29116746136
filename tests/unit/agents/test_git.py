"""Files of git refs: checked out beside the workspace, with nothing changed in the repository."""

import subprocess
import threading
import time
from pathlib import Path

import pytest

from agenttwin.agents import Repository, Setup
from agenttwin.errors import AgentTwinError, NotFound


def git(folder: Path, *words: str) -> str:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *author, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with two commits; `agent.txt` says which."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("ignored\n.agenttwin\n")
    for text in ("one", "two"):
        (folder / "agent.txt").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", text)
    git(folder, "branch", "feature/refunds", "HEAD~1")
    git(folder, "tag", "v1", "HEAD~1")
    return folder


@pytest.fixture
def repository(folder: Path) -> Repository:
    return Repository(folder, folder / ".agenttwin" / "worktrees")


def setup(text: str, seconds: float = 20) -> Setup:
    return Setup(argv=("sh", "-c", text), env={}, seconds=seconds)


def state(folder: Path) -> tuple[str, ...]:
    """All that a user sees of a repository."""
    views = (["status", "--porcelain"], ["for-each-ref"], ["worktree", "list"], ["stash", "list"], ["reflog"])
    return tuple(git(folder, *words) for words in views)


@pytest.mark.parametrize(
    ("ref", "text"),
    [("main", "two"), ("HEAD", "two"), ("HEAD~1", "one"), ("v1", "one"), ("feature/refunds", "one")],
)
def test_a_ref_gives_its_files(repository: Repository, ref: str, text: str) -> None:
    assert (repository.checkout(repository.revision(ref)) / "agent.txt").read_text() == text


def test_a_hash_is_a_ref(folder: Path, repository: Repository) -> None:
    commit = git(folder, "rev-parse", "HEAD~1")
    assert repository.revision(commit[:9]).commit == commit
    assert repository.revision(commit).short == commit[:8]


def test_the_end_of_a_version_is_a_ref(folder: Path, repository: Repository) -> None:
    (folder / "agent.txt").write_text("three")
    for ref in ("HEAD~1", "WORKTREE"):
        found = repository.revision(ref)
        repository.checkout(found)
        for version in (f"1.3.0+{found.short}", f"1.3.0+build.7.{found.short}"):
            again = repository.revision(version)
            assert (again.tree, again.commit) == (found.tree, found.commit)


@pytest.mark.parametrize("ref", ["1.3.0+worktree.00000000", "1.3.0+00000000"])
def test_a_version_that_is_not_kept_is_told(repository: Repository, ref: str) -> None:
    with pytest.raises(NotFound):
        repository.revision(ref)


def test_files_as_they_are_include_new_ones_and_not_ignored_ones(
    folder: Path, repository: Repository
) -> None:
    (folder / "agent.txt").write_text("three")
    (folder / "new.txt").write_text("new")
    (folder / "ignored").write_text("secret")
    for ref in ("WORKTREE", "."):
        found = repository.checkout(repository.revision(ref))
        assert (found / "agent.txt").read_text() == "three"
        assert (found / "new.txt").exists()
        assert not (found / "ignored").exists()


def test_a_clean_worktree_is_the_tree_of_its_commit(repository: Repository) -> None:
    assert repository.revision("WORKTREE").tree == repository.revision("HEAD").tree


def test_the_workspaces_own_data_is_no_part_of_the_worktree(folder: Path, repository: Repository) -> None:
    (folder / ".gitignore").write_text("")
    before = repository.revision("WORKTREE").tree
    (folder / ".agenttwin" / "agenttwin.db").write_text("runs")
    assert repository.revision("WORKTREE").tree == before


def test_nothing_of_the_repository_is_changed(folder: Path, repository: Repository) -> None:
    (folder / "agent.txt").write_text("three")
    (folder / "staged.txt").write_text("staged")
    git(folder, "add", "staged.txt")
    objects = sorted((folder / ".git").rglob("*"))
    before = state(folder)
    for ref in ("main", "v1", "WORKTREE"):
        repository.checkout(repository.revision(ref), setup("touch made"))
    assert state(folder) == before
    assert sorted((folder / ".git").rglob("*")) == objects


def test_a_ref_that_is_none_names_the_nearest(repository: Repository) -> None:
    with pytest.raises(NotFound, match=r"'feature/refund'\. Did you mean 'feature/refunds'\?") as raised:
        repository.revision("feature/refund")
    assert raised.value.code == "unknown_ref"


@pytest.mark.parametrize("ref", ["--upload-pack=touch", "", "main:agent.txt", "\n"])
def test_what_cannot_be_a_ref_is_none(repository: Repository, ref: str) -> None:
    with pytest.raises(NotFound):
        repository.revision(ref)


def test_a_folder_that_is_in_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is in no git repository"):
        Repository(tmp_path, tmp_path / "store")


def test_a_workspace_may_lie_below_the_top(folder: Path) -> None:
    (folder / "agents" / "clerk").mkdir(parents=True)
    (folder / "agents" / "clerk" / "agent.py").write_text("")
    below = Repository(folder / "agents" / "clerk", folder / "store")
    found = below.checkout(below.revision("WORKTREE"))
    assert (found / below.prefix / "agent.py").exists()


def test_a_set_up_is_run_once_for_a_tree(repository: Repository) -> None:
    once = setup("echo run >> log; git rev-parse --show-toplevel > top 2>&1; true")
    for _ in range(2):
        found = repository.checkout(repository.revision("main"), once)
    assert (found / "log").read_text() == "run\n"
    assert "not a git repository" in (found / "top").read_text()
    assert repository.checkout(repository.revision("main"), setup("true")) != found
    assert not (repository.checkout(repository.revision("main")) / "log").exists()


def test_a_set_up_that_fails_says_why_and_is_run_anew(repository: Repository) -> None:
    fails = setup("test -e half && exit 0; touch half; echo no network; exit 7")
    for _ in range(2):
        with pytest.raises(AgentTwinError, match="ended with exit code 7") as raised:
            repository.checkout(repository.revision("main"), fails)
    assert raised.value.code == "setup_failed"
    assert "no network" in str(raised.value)


def test_a_set_up_has_a_limit(repository: Repository) -> None:
    started = time.monotonic()
    with pytest.raises(AgentTwinError, match=r"took longer than 0\.3 seconds"):
        repository.checkout(repository.revision("main"), setup("sleep 30", seconds=0.3))
    assert time.monotonic() - started < 5


def test_runs_at_the_same_time_do_not_collide(folder: Path, repository: Repository) -> None:
    slow = setup("sleep 0.2; echo run >> log")
    found: list[str] = []

    def check_out() -> None:
        other = Repository(folder, folder / ".agenttwin" / "worktrees")
        found.append((other.checkout(other.revision("main"), slow) / "log").read_text())

    threads = [threading.Thread(target=check_out) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["run\n"] * 4


def test_a_repository_without_a_commit_has_files_all_the_same(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "agent.txt").write_text("first")
    fresh = Repository(tmp_path, tmp_path / ".agenttwin" / "worktrees")
    assert (fresh.checkout(fresh.revision(".")) / "agent.txt").read_text() == "first"
    with pytest.raises(NotFound):
        fresh.revision("HEAD")


def test_it_is_not_led_astray_by_git_itself(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert (repository.checkout(repository.revision("WORKTREE")) / "agent.txt").read_text() == "two"
