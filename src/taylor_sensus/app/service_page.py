"""What a served model takes and gives, as an OpenAPI document, and that document as a page without scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from taylor_sensus._version import __version__
from taylor_sensus.tables.column import Column
from taylor_sensus.words.html import tag

NUMBER = {"type": "number"}
PART = {
    "mean": "the prediction",
    "std": "standard deviation of all errors together",
    "feature_noise": "standard deviation that comes in through the inputs",
    "system_noise": "standard deviation of the system itself",
    "epistemic": "standard deviation from too little data",
    "lower": "lower end of the interval, null if there is none",
    "upper": "upper end of the interval, null if there is none",
}


def openapi_document(name: str, columns: Sequence[Column], targets: Sequence[str], most_rows: int) -> dict[str, Any]:
    """For one model: its columns and categories are part of the interface."""
    row = _object({c.name: _cell(c) for c in columns})
    answer = {part: {**_or_null(NUMBER), "description": words} for part, words in PART.items()}
    prediction = _object(
        {
            "familiarity": {**NUMBER, "description": "0: nothing like it was seen, 1: well covered"},
            "targets": _object(dict.fromkeys(targets, _object(answer))),
        }
    )
    properties = {
        "rows": {"type": "array", "minItems": 1, "maxItems": most_rows, "items": row},
        "errors": {
            "description": "standard deviations of inputs, for all or by column; 0: exact; left out: as in training",
            "oneOf": [NUMBER, {"type": "object", "additionalProperties": NUMBER}],
        },
        "coverage": {**NUMBER, "default": 0.9, "description": "share of results that the interval should hold"},
    }
    body = {"type": "object", "properties": properties, "required": ["rows"], "additionalProperties": False}
    example = {"rows": [{c.name: c.categories[0] if c.categories else 1.0 for c in columns}]}
    refusals = {"401": "the key is missing", "413": "too much at once", "422": "rows that the model cannot take"}
    found = _object({"predictions": {"type": "array", "items": prediction}})
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Predictions of {name}", "version": __version__},
        "security": [{"key": []}],
        "paths": {
            "/predict": {
                "post": {
                    "summary": "Predict rows",
                    "requestBody": {"required": True, "content": _json(body, example)},
                    "responses": {
                        "200": {"description": "one prediction a row, in order", "content": _json(found)},
                        **{status: {"description": words} for status, words in refusals.items()},
                    },
                }
            },
            "/model": {"get": {"summary": "Columns, targets and summary", "responses": _fine("what the model is")}},
            "/health": {"get": {"summary": "Alive?", "security": [], "responses": _fine("the server lives")}},
        },
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


def page(document: dict[str, Any]) -> str:
    """The document for people."""
    body = document["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]
    lines = [
        f"{way.upper()} {path}: {what['summary']}"
        for path, ways in document["paths"].items()
        for way, what in ways.items()
    ]
    parts = [
        tag("h1", document["info"]["title"]),
        tag("p", "Send the header Authorization: Bearer KEY. The interface as a document: /openapi.json"),
        tag("ul", *[tag("li", line) for line in lines]),
        tag("h2", "To predict, send"),
        tag("pre", json.dumps(body["example"], indent=2, ensure_ascii=False)),
        tag("h2", "Where"),
        tag("pre", json.dumps(body["schema"], indent=2, ensure_ascii=False)),
    ]
    head = tag("title", document["info"]["title"])
    return f'<!doctype html><html lang="en"><meta charset="utf-8">{head}{"".join(parts)}'


def _cell(column: Column) -> dict[str, Any]:
    if column.categories is None:
        return _or_null(NUMBER)
    return {"type": ["string", "null"], "examples": [*column.categories]}  # another text is a new category


def _or_null(kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": [kind["type"], "null"]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _json(schema: dict[str, Any], example: Any = None) -> dict[str, Any]:
    return {"application/json": {"schema": schema} | ({} if example is None else {"example": example})}


def _fine(words: str) -> dict[str, Any]:
    return {"200": {"description": words}}
