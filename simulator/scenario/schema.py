"""The JSON schema of scenario files: what an editor needs to complete keys, show their meaning and mark mistakes."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from simulator.scenario.scenario import Scenario
from simulator.scenario.table import Table

__all__ = ["scenario_schema"]


class _Untitled(GenerateJsonSchema):
    """Leaves out titles that repeat the key."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic calls it by this signature)
        """Never: the key says it."""
        return False


def scenario_schema() -> dict[str, Any]:
    """Every key of a scenario file with its type, rule, meaning and default, all taken from the models.

    Rules that concern several keys (`k` at most `objects.count`) are left to `load_scenario`.
    """
    schema = Scenario.model_json_schema(schema_generator=_Untitled)
    _complete(schema, Scenario, Scenario.model_construct())
    for key, table in Scenario.tables().items():
        _complete(schema["$defs"][table.__name__], table, table())
        del schema["properties"][key]["default"]
        for entry in table.lists().values():
            _complete(schema["$defs"][entry.__name__], entry, entry.model_construct())
    schema["properties"]["extends"] = {
        "type": "string",
        "minLength": 1,
        "description": "another scenario file, as seen from this one: what this file leaves out is taken from there",
    }
    # A file that extends another may leave everything to it.
    schema["anyOf"] = [{"required": schema.pop("required")}, {"required": ["extends"]}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _complete(schema: dict[str, Any], table: type[Table], defaults: Table) -> None:
    """Write defaults as a file would, with their units, and drop null, which TOML does not have."""
    written = defaults.model_dump(exclude_none=True)
    for key in table.key_fields():
        about = schema["properties"][key]
        if about.pop("default", None) is not None:
            about["default"] = written[key]
        options = [option for option in about.pop("anyOf", ()) if option != {"type": "null"}]
        about |= options[0] if len(options) == 1 else {"anyOf": options} if options else {}
