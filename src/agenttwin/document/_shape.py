"""Walking a model's types along a pydantic location: which steps are the document's, what may stand there."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Location: TypeAlias = tuple[int | str, ...]

_UNIONS: Final = (Union, types.UnionType)
_SEQUENCES: Final = (list, tuple, frozenset, set)
_MAPPINGS: Final = (dict, AbstractMapping)
_KEY: Final = "[key]"  # pydantic's last step where the key itself is wrong


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: its path, what the model says of it, and whether its key is meant."""

    path: Location
    declared: Any
    key: bool = False


def follow(model: type[BaseModel], location: Location) -> Place:
    """The document's place of a pydantic location.

    Pydantic mixes the names of union members into its locations; they are no steps of the document.
    """
    path: list[int | str] = []
    here: Any = model
    for number, segment in enumerate(location):
        if location[number + 1 :] == (_KEY,) and (keys := _key_type(here)) is not None:
            return Place((*path, segment), keys, key=True)
        members = list(_members(here))
        if len(members) > 1:
            here = next((member for member in members if _is_named(member, str(segment))), Any)
            continue
        path.append(segment)
        here = _below(here, segment)
    return Place(tuple(path), here)


def field_names(declared: Any) -> tuple[str, ...]:
    """The names that a mapping may have here, as the file writes them; empty where any name goes."""
    for member in _members(declared):
        if _is_model(member):
            return tuple(names(member))
    return ()


def tags(declared: Any, field: str) -> tuple[str, ...]:
    """The words that `field` may be, where it tells the members of a union apart."""
    found = (names(member).get(field) for member in _members(declared) if _is_model(member))
    return tuple(str(word) for each in found if each is not None for word in get_args(_bare(each)))


def names(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Field name as written in the file → what the model says of it."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def example(declared: Any) -> str | None:
    """A value that the model gives as an example."""
    for info in (declared, *get_args(declared)[1:]):
        if isinstance(info, FieldInfo) and info.examples:
            return str(info.examples[0])
    return None


def _bare(declared: Any) -> Any:
    """The type itself, without what is said about it."""
    while True:
        if isinstance(declared, FieldInfo):
            declared = declared.annotation
        elif get_origin(declared) is Annotated:
            declared = get_args(declared)[0]
        elif type(declared).__name__ == "TypeAliasType":
            declared = declared.__value__
        else:
            return declared


def _members(declared: Any) -> Iterator[Any]:
    """The members of a union, `None` aside; a type that is none is its own member."""
    bare = _bare(declared)
    if get_origin(bare) in _UNIONS:
        for argument in get_args(bare):
            yield from _members(argument)
    elif bare is not type(None):
        yield bare


def _is_model(member: Any) -> bool:
    return isinstance(member, type) and issubclass(member, BaseModel)


def _is_named(member: Any, label: str) -> bool:
    """Whether pydantic calls the member of a union so: by its tag, or by its type."""
    origin = get_origin(member) or member
    if label.partition("[")[0] == getattr(origin, "__name__", ""):
        return True
    fields = member.model_fields.values() if _is_model(member) else ()
    return any(get_origin(_bare(each)) is Literal and label in get_args(_bare(each)) for each in fields)


def _key_type(declared: Any) -> Any:
    """The type of a mapping's keys; None for what is no mapping by type."""
    return next((get_args(each)[0] for each in _members(declared) if get_origin(each) in _MAPPINGS), None)


def _below(declared: Any, segment: int | str) -> Any:
    for member in _members(declared):
        origin = get_origin(member) or member
        if _is_model(member):
            return names(member).get(str(segment), Any)
        if origin in _SEQUENCES and get_args(member):
            return get_args(member)[0]
        if origin in _MAPPINGS and get_args(member):
            return get_args(member)[1]
    return Any
