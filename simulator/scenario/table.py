"""What tables of a scenario are made of: the base of them all, and values of which more than the type is checked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

__all__ = ["Checked", "OneOf", "Table", "refuse", "refuse_beside_file"]


class Table(BaseModel):
    """A table of a scenario: unknown keys are refused, values are not coerced, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, serialize_by_alias=True)

    @classmethod
    def key_fields(cls) -> dict[str, FieldInfo]:
        """Fields by the keys that a scenario writes."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @classmethod
    def tables(cls) -> "dict[str, type[Table]]":
        """The keys that are tables themselves."""
        kinds = {key: field.annotation for key, field in cls.key_fields().items()}
        return {key: kind for key, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Table)}

    @classmethod
    def lists(cls) -> "dict[str, type[Table]]":
        """The keys that are lists of tables."""
        kinds = {key: get_args(field.annotation)[:1] for key, field in cls.key_fields().items()}
        return {
            key: kind[0]
            for key, kind in kinds.items()
            if kind and isinstance(kind[0], type) and issubclass(kind[0], Table)
        }


@dataclass(frozen=True, eq=False)
class OneOf:
    """Validates a name against those that exist when the scenario is read, and others given beforehand."""

    name: str
    table: Iterable[str]
    more: tuple[str, ...] = ()
    open: bool = False
    """Whether a file of the user's may bring others."""

    @property
    def known(self) -> list[str]:
        """All names, by the alphabet."""
        return sorted([*self.table, *self.more])

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": self.known}

    def _check(self, value: str) -> str:
        if value not in self.known:
            own = ", or bring your own by --with FILE" if self.open else ""
            rule = f"the {self.name} must be one of {', '.join(self.known)}; choose one of them{own}"
            raise PydanticCustomError("unknown_name", "{rule}", {"rule": rule})
        return value


@dataclass(frozen=True, eq=False)
class Checked:
    """Validates a value by a function, and tells in JSON schema of which kinds it may be."""

    check: Callable[[object], object]
    options: tuple[dict[str, Any], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": list(self.options)}


def refuse(key: str, value: object, rule: str) -> None:
    """Refuse a value for a rule that concerns several keys."""
    raise PydanticCustomError("fit", "{rule}", {"rule": rule, "key": key, "value": value})


def refuse_beside_file(table: Table, name: str, made: Iterable[str], about: Iterable[str]) -> None:
    """Refuse what makes that which a table reads from a file, and what is about a file where there is none.

    Parameters
    ----------
    name : str
        Key of the table, which has a key `file`.
    made, about : iterable of str
        Keys of the table.
    """
    file = getattr(table, "file")  # noqa: B009 (of some tables)
    if file is None:
        for key in about:
            if getattr(table, key):
                refuse(f"{name}.{key}", getattr(table, key), f"is about {name}.file; add that, or remove this")
        return
    for key in made:
        if key in table.model_fields_set:
            refuse(f"{name}.file", file, f"a file and {name}.{key} exclude each other; remove one of them")
