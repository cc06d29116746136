"""The algebra of JSON values: canonical form and digest, paths, changes, matches with a reason, draws."""

from agenttwin.values._canonical import canonical, digest, digest_bytes
from agenttwin.values._change import Change, diff, merge
from agenttwin.values._describe import describe
from agenttwin.values._draw import draw, trial_seed
from agenttwin.values._json import MAX_DEPTH, MAX_INTEGER, MISSING, Json, Missing, equal
from agenttwin.values._match import COMPARATORS, Comparator, Match, comparator_for, match
from agenttwin.values._nearest import nearest
from agenttwin.values._node import Arr, Node, Obj, Value, encode, plain
from agenttwin.values._path import (
    MAX_PATH_CHARACTERS,
    MAX_PATH_SEGMENTS,
    Path,
    PathPart,
    Segments,
    format_path,
    read_segments,
    scan_path,
)
from agenttwin.values._pattern import MAX_PATTERN_CHARACTERS, search_pattern
from agenttwin.values._tree import Tree, TreeError, apply

__all__ = [
    "COMPARATORS",
    "MAX_DEPTH",
    "MAX_INTEGER",
    "MAX_PATH_CHARACTERS",
    "MAX_PATH_SEGMENTS",
    "MAX_PATTERN_CHARACTERS",
    "MISSING",
    "Arr",
    "Change",
    "Comparator",
    "Json",
    "Match",
    "Missing",
    "Node",
    "Obj",
    "Path",
    "PathPart",
    "Segments",
    "Tree",
    "TreeError",
    "Value",
    "apply",
    "canonical",
    "comparator_for",
    "describe",
    "diff",
    "digest",
    "digest_bytes",
    "draw",
    "encode",
    "equal",
    "format_path",
    "match",
    "merge",
    "nearest",
    "plain",
    "read_segments",
    "scan_path",
    "search_pattern",
    "trial_seed",
]
