"""The files of a git ref, beside the workspace: nothing in the user's repository is written to."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from agenttwin.agents._group import Group, check_program, how_it_ended
from agenttwin.agents._output import TAIL_BYTES, Output
from agenttwin.errors import AgentTwinError, NotFound, UsageError
from agenttwin.values import nearest

WORKTREE: Final = ("WORKTREE", ".")
"""Refs that mean the files as they are, committed or not; those that git ignores are not among them."""

SHORT: Final = 8
"""Characters of a hash where people read it."""

KEPT: Final = 8
KEPT_SECONDS: Final = 24 * 3600
"""Checkouts beyond so many are removed when nobody has asked for them for a day."""

LOCK_SECONDS: Final = 0.1
"""Between two looks at whether another run has finished a checkout."""

_PINNED: Final = re.compile(rf"\+(?:[0-9A-Za-z.-]+?\.)??(worktree\.)?([0-9a-f]{{{SHORT}}})$")
"""The end of a version that was made of a revision."""

_QUIET: Final = (
    *("-c", "core.fsmonitor=false", "-c", "core.sparseCheckout=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "advice.addEmbeddedRepo=false", "-c", "core.splitIndex=false"),
)
"""The user's settings of git hold, but for those by which it would do more than it is asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a ref stands for: the hash of its files, and the commit if there is one."""

    ref: str
    tree: str
    commit: str | None

    @property
    def short(self) -> str:
        """A name for it that is the same wherever the files are the same."""
        return self.commit[:SHORT] if self.commit else f"worktree.{self.tree[:SHORT]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What makes a fresh checkout ready: a command, its environment, and how long it may take."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    seconds: float


class Repository:
    """The git repository around ``folder``. Checkouts are kept in ``store``, one for each tree and set-up.

    NotFound where there is none, UsageError where git is missing or fails.
    """

    def __init__(self, folder: Path, store: Path) -> None:
        self._store = store
        self._root = folder
        self._top = folder
        found = self._asked("rev-parse", "--show-toplevel", "--absolute-git-dir")
        if found is None:
            raise NotFound("no_repository", f"The folder {str(folder)!r} is in no git repository.")
        top, self._git_dir = found.splitlines()
        self._top = Path(top)
        self.prefix = folder.resolve().relative_to(self._top.resolve())

    def revision(self, ref: str) -> Revision:
        """What a ref stands for, also one that ends in `+` and the short name of an earlier revision.

        NotFound names the nearest.
        """
        if ref in WORKTREE:
            return Revision(ref=ref, tree=self._files_as_they_are(), commit=None)
        pinned = _PINNED.search(ref)
        if pinned is not None and pinned[1]:
            return Revision(ref=ref, tree=self._kept_tree(ref, pinned[2]), commit=None)
        known = self._commit(ref) or (pinned and self._commit(pinned[2]))
        if not known:
            close = nearest(ref, [*self._refs(), "HEAD", WORKTREE[0]])
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_ref", f"There is no branch, tag or commit {ref!r}.{hint}")
        tree = self._git("rev-parse", "--verify", f"{known}^{{tree}}")
        return Revision(ref=ref, tree=tree, commit=known)

    def _commit(self, ref: str) -> str | None:
        if ref.startswith("-"):
            return None
        return self._asked("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")

    def _kept_tree(self, ref: str, short: str) -> str:
        """The tree of files as they once were, which only their checkout still has."""
        for mark in self._store.glob(f"{short}*.ready"):
            return mark.stem.partition("-")[0]
        raise NotFound("unknown_ref", f"The files of {ref} are not kept any more.")

    def checkout(self, revision: Revision, setup: Setup | None = None) -> Path:
        """The folder with the files of a revision, set up; made once, whoever asks for it first.

        UsageError where the set-up fails; the next time begins anew.
        """
        name = revision.tree if setup is None else f"{revision.tree}-{_digest(setup.argv)}"
        folder, ready = self._store / name, self._store / f"{name}.ready"
        self._store.mkdir(parents=True, exist_ok=True)
        with _locked(self._store / f"{name}.lock"):
            if not (ready.exists() and folder.exists()):
                shutil.rmtree(folder, ignore_errors=True)
                self._extract(revision, folder)
                if setup is not None:
                    _set_up(setup, folder, self.prefix, revision)
            ready.touch()
        self._prune()
        return folder

    def _extract(self, revision: Revision, folder: Path) -> None:
        folder.mkdir(parents=True)
        index = self._store / f"{folder.name}.index"
        try:
            where = {"GIT_DIR": self._git_dir, "GIT_WORK_TREE": str(folder), "GIT_INDEX_FILE": str(index)}
            env = {**where, **self._objects}
            self._git("read-tree", "--reset", "-u", revision.tree, folder=folder, env=env)
        finally:
            index.unlink(missing_ok=True)

    def _files_as_they_are(self) -> str:
        """The tree that a commit of all files would have, written beside the workspace."""
        self._store.mkdir(parents=True, exist_ok=True)
        index = self._store / f"worktree-{os.getpid()}-{time.monotonic_ns()}.index"
        with contextlib.suppress(FileNotFoundError):  # a repository without a commit has none
            shutil.copy(self._git("rev-parse", "--path-format=absolute", "--git-path", "index"), index)
        try:
            env = {"GIT_INDEX_FILE": str(index), **self._objects}
            self._git("add", "--all", "--", ":/", ":(exclude,top,glob)**/.agenttwin/**", env=env)
            return self._git("write-tree", env=env)
        finally:
            index.unlink(missing_ok=True)

    @property
    def _objects(self) -> dict[str, str]:
        """Objects are read from the repository and written beside the workspace."""
        common = self._git("rev-parse", "--path-format=absolute", "--git-common-dir")
        objects = self._store / "objects"
        objects.mkdir(exist_ok=True)
        return {
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(Path(common) / "objects"),
        }

    def _refs(self) -> list[str]:
        return self._git("for-each-ref", "--format=%(refname:short)").splitlines()

    def _prune(self) -> None:
        """Removes checkouts that nobody has asked for lately, the newest few excepted."""
        marks = sorted(self._store.glob("*.ready"), key=lambda mark: mark.stat().st_mtime, reverse=True)
        for mark in marks[KEPT:]:
            if time.time() - mark.stat().st_mtime > KEPT_SECONDS:
                mark.unlink(missing_ok=True)
                shutil.rmtree(mark.with_suffix(""), ignore_errors=True)

    def _git(self, *words: str, folder: Path | None = None, env: Mapping[str, str] | None = None) -> str:
        """What git says; UsageError where it fails."""
        done = self._done(words, folder or self._root, env or {})
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise UsageError("git_failed", f"git {words[0]} failed: {said}")
        return _text(done.stdout)

    def _asked(self, *words: str) -> str | None:
        """What git says, or None where it says no."""
        done = self._done(words, self._root, {})
        return None if done.returncode else _text(done.stdout)

    @staticmethod
    def _done(
        words: Sequence[str], folder: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            return subprocess.run(
                ["git", *_QUIET, *words],
                cwd=folder,
                env={**clean, **env},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise UsageError("git_failed", "There is no program 'git' to run.") from None


def _text(said: bytes) -> str:
    return said.decode("utf-8", "surrogateescape").rstrip("\n")


def _set_up(setup: Setup, folder: Path, prefix: Path, revision: Revision) -> None:
    place = folder / prefix if (folder / prefix).is_dir() else folder
    env = {**os.environ, **in_checkout(folder.parent), **setup.env}
    check_program(setup.argv[0], folder=place, env=env)
    group = Group(setup.argv, folder=place, env=env)
    said = Output(None, room=TAIL_BYTES)
    readers = group.read(stdout=said.take, stderr=said.take)
    end = time.monotonic() + setup.seconds
    while group.running and time.monotonic() < end:
        time.sleep(LOCK_SECONDS)
    late = group.running
    group.end()
    code = group.wait()
    for reader in readers:
        reader.join(1)
    if code:
        how = f"took longer than {setup.seconds:g} seconds" if late else how_it_ended(code)
        message = f"The set-up of {revision.ref}, {' '.join(setup.argv)!r}, {how}."
        raise AgentTwinError("setup_failed", message, said.text.strip())


def in_checkout(store: Path) -> dict[str, str]:
    """For programs in a checkout: without it, git would take them to be in the user's own files."""
    return {"GIT_CEILING_DIRECTORIES": str(store)}


def _digest(argv: Sequence[str]) -> str:
    return sha256("\0".join(argv).encode()).hexdigest()[:SHORT]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keeps other processes and threads out meanwhile. The system lets go of it with the process."""
    try:
        import fcntl
    except ImportError:  # a system without it: two first runs at a time of one ref may collide there
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
