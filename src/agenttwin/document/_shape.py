"""Walking a model's types along a path: which fields could stand there, which steps are only pydantic's."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from collections.abc import Mapping as AbstractMapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Location = tuple[int | str, ...]

_UNIONS = (Union, types.UnionType)
_SEQUENCES = (list, tuple, frozenset, set)


def real_path(model: type[BaseModel], location: Location) -> tuple[Location, Any]:
    """The document's path in a pydantic error's location, and the type that stands there.

    Pydantic mixes the names of union members into its locations; they are no steps of the document.
    """
    path: list[int | str] = []
    here: Any = model
    for segment in location:
        member = _member(here, segment)
        if member is not None:
            here = member
            continue
        path.append(segment)
        here = _step(here, segment)
    return tuple(path), here


def field_names(annotation: Any) -> tuple[str, ...]:
    """The names a mapping of this type may have, as the file writes them; empty where any name goes."""
    for model in _models(annotation):
        return tuple(names(model))
    return ()


def names(model: type[BaseModel]) -> Mapping[str, Any]:
    """Field name as written in the file → its type."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _bare(annotation: Any) -> Any:
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def _members(annotation: Any) -> Iterator[Any]:
    bare = _bare(annotation)
    if get_origin(bare) in _UNIONS:
        for argument in get_args(bare):
            yield from _members(argument)
    elif bare is not type(None):
        yield bare


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel):
            yield member


def _member(annotation: Any, segment: int | str) -> Any:
    """The union member that ``segment`` names, or None where the segment is a step of the document."""
    members = list(_members(annotation))
    if len(members) < 2 and get_origin(_bare(annotation)) not in _UNIONS:
        return None
    for member in members:
        if isinstance(member, type) and issubclass(member, BaseModel) and segment in tuple(_tags(member)):
            return member
    return next((member for member in members if len(members) > 1 and segment == _label(member)), None)


def _tags(model: type[BaseModel]) -> Iterator[str]:
    for field in model.model_fields.values():
        if get_origin(_bare(field.annotation)) is Literal:
            yield from get_args(_bare(field.annotation))
            return


def _label(member: Any) -> str:
    """How pydantic names a member of an untagged union in a location."""
    origin = get_origin(member)
    if origin is None:
        return getattr(member, "__name__", str(member))
    inside = ",".join(_label(argument) for argument in get_args(member) if argument is not Ellipsis)
    return f"{getattr(origin, '__name__', str(origin))}[{inside}]"


def _step(annotation: Any, segment: int | str) -> Any:
    for member in _members(annotation):
        origin = get_origin(member) or member
        if isinstance(member, type) and issubclass(member, BaseModel):
            found = names(member).get(str(segment))
            if found is not None:
                return found
        elif origin in _SEQUENCES and get_args(member):
            return get_args(member)[0]
        elif origin in (dict, AbstractMapping) and get_args(member):
            return get_args(member)[1]
    return Any
