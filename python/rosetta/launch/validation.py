"""Jobs and records against their schemas: which field is wrong, in one sentence.

Records hold tens of thousands of numbers, which fastjsonschema checks in milliseconds (jsonschema: a second).
"""

from functools import cache
from typing import Any

from rosetta.schemas import schema


def fault_in_job(job: Any) -> str:
    """What is wrong with a job; "" if nothing."""
    return _fault("job", "", job)


def fault_in_record(record: Any) -> str:
    """What is wrong with a record, be it an answer or a refusal; "" if nothing."""
    is_refusal = isinstance(record, dict) and "error" in record
    return _fault("record", "refusal" if is_refusal else "answer", record)


def _fault(name: str, part: str, value: Any) -> str:
    from fastjsonschema import JsonSchemaValueException

    try:
        _validator(name, part)(value, name_prefix=name)
    except JsonSchemaValueException as error:
        if error.rule == "required":
            missing = [key for key in error.rule_definition if key not in error.value]
            return f"{error.name} lacks {', '.join(missing)}"
        return str(error.message)
    return ""


@cache
def _validator(name: str, part: str) -> Any:
    """A function that checks a value against a schema, or against one part of its definitions."""
    import fastjsonschema

    whole = schema(name)
    checked = {"$defs": whole["$defs"], "$ref": f"#/$defs/{part}"} if part else whole
    return fastjsonschema.compile(checked, use_default=False)
