"""Generate the OpenAPI schema and the TypeScript types of the views.

`python -m roget.web.schema` writes the types and routes that the scripts of the page use.
"""

from __future__ import annotations

import json
import re
import types
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints
from typing import is_typeddict as _is_typeddict

from roget._version import __version__
from roget.web.session import EDITS
from roget.web.views import VIEWS
from roget.web.views.base import Data, Text, View

TOKEN = "x-roget-token"
"""Name of the header that carries the browser's token."""

SESSION, EDIT, SCHEMA = "/api/session", "/api/edit", "/openapi.json"

ERRORS = {
    400: "The request is invalid; the error states what was expected.",
    401: "There is no session; open a new link.",
    403: "The key is invalid or was used before, or the request is not from a page of this server.",
    404: "No such word, class or address.",
    409: "The thesaurus has changed in the meantime; `revision` is the current one.",
    413: "The body is too long.",
    421: "The host name is not the host name of this server.",
    500: "The edit could not be saved.",
    501: "This thesaurus cannot be edited.",
}
"""The meaning of each HTTP error status."""

SCRIPTS = Path(__file__).parent / "js"

_TEXT: Data = {"type": "string"}
_KINDS: dict[type, Data] = {
    int: {"type": "integer"},
    str: _TEXT,
    list: {"type": "array", "items": {"anyOf": [_TEXT, {"type": "integer"}, {"type": "object"}]}},
}


def describe() -> Data:
    """Return the OpenAPI schema of all routes."""
    created = _json({"type": "object"})
    edits = [
        _object(
            {"action": {"const": action}, "revision": _KINDS[int]}
            | {name: _KINDS[kind] for name, kind in fields.items()}
        )
        for action, fields in EDITS.items()
    ]
    session = {
        "security": [],
        "requestBody": {"required": True, "content": _json(_object({"key": _TEXT}))},
        "responses": _responses(created, 400, 403, 413, 421),
    }
    edit = {
        "requestBody": {"required": True, "content": _json({"oneOf": edits})},
        "responses": _responses(created, 400, 401, 403, 409, 413, 421, 500, 501),
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "roget explore", "version": __version__},
        "security": [{"session": []}],
        "components": {
            "securitySchemes": {"session": {"type": "apiKey", "in": "header", "name": TOKEN}},
            "schemas": {kind.__name__: _describe_fields(kind) for kind in _collect_types()},
        },
        "paths": {
            **{view.path: {"get": _describe_view(view)} for view in VIEWS},
            SESSION: {"post": session},
            EDIT: {"post": edit},
        },
    }


def _describe_view(view: View) -> Data:
    query = [*view.query_parameters]
    content = _json(to_json_schema(view.data))
    if view.sheet is not None:
        query.append(Text("format", None, ("json", "csv")))
        content["text/csv"] = {"schema": _TEXT}
    parameters = [
        {"name": one.name, "in": "path", "required": True, "schema": one.schema}
        for one in view.path_parameters
    ]
    parameters += [{"name": one.name, "in": "query", "schema": one.schema} for one in query]
    return {"parameters": parameters, "responses": _responses(content, 400, 401, 404, 421)}


def _responses(content: Data, *errors: int) -> Data:
    error = _json({**_object({"error": _TEXT}), "properties": {"error": _TEXT, "code": _TEXT}})
    refused = {str(one): {"description": ERRORS[one], "content": error} for one in errors}
    return {"200": {"description": "The requested data.", "content": content}, **refused}


def _object(properties: Data) -> Data:
    """Return the JSON Schema of an object whose properties are all required."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _json(schema: Data) -> Data:
    return {"application/json": {"schema": schema}}


def _collect_types() -> list[Any]:
    """Return all TypedDicts used in the views' data, in order of first use."""
    found: dict[Any, None] = {}

    def collect(kind: Any) -> None:
        if _is_typeddict(kind) and kind not in found:
            for field in _fields(kind).values():
                collect(field)
            found[kind] = None
        for part in get_args(kind):
            collect(part)

    for view in VIEWS:
        collect(view.data)
    return list(found)


def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _is_optional(field: Any) -> bool:
    return get_origin(field) is NotRequired


def _required(field: Any) -> Any:
    return get_args(field)[0] if _is_optional(field) else field


def _describe_fields(kind: Any) -> Data:
    fields = _fields(kind)
    return {
        "type": "object",
        "required": [name for name, field in fields.items() if not _is_optional(field)],
        "properties": {name: to_json_schema(_required(field)) for name, field in fields.items()},
    }


def to_json_schema(kind: Any) -> Data:
    """Convert a Python type to JSON Schema. TypedDicts become references to components."""
    origin, args = get_origin(kind), get_args(kind)
    simple = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    if kind in simple:
        return {"type": simple[kind]}
    if _is_typeddict(kind):
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    if origin is list:
        return {"type": "array", "items": to_json_schema(args[0])}
    if origin is tuple:
        items = [to_json_schema(one) for one in args]
        return {"type": "array", "prefixItems": items, "minItems": len(items)}
    if origin is dict:
        return {"type": "object", "additionalProperties": to_json_schema(args[1])}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [to_json_schema(one) for one in args]}
    raise TypeError(f"{kind}: unsupported type; add it to to_json_schema and to_typescript")


def to_typescript(kind: Any) -> str:
    """Convert a Python type to TypeScript.

    >>> to_typescript(list[int | None]), to_typescript(dict[str, tuple[str, float]])
    ('(number | null)[]', 'Record<string, [string, number]>')
    """
    origin, args = get_origin(kind), get_args(kind)
    simple = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
    if kind in simple:
        return simple[kind]
    if _is_typeddict(kind):
        return str(kind.__name__)
    if origin is list:
        item = to_typescript(args[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(to_typescript, args))}]"
    if origin is dict:
        return f"Record<string, {to_typescript(args[1])}>"
    if origin is Literal:
        return " | ".join(json.dumps(one) for one in args)
    if origin in (Union, types.UnionType):
        return " | ".join(map(to_typescript, args))
    raise TypeError(f"{kind}: unsupported type; add it to to_json_schema and to_typescript")


def write_types() -> str:
    """Return the content of views.d.ts: the types of all views' data and parameters."""
    lines = ["// Generated by python -m roget.web.schema from roget/web/views; do not edit.", ""]
    for kind in _collect_types():
        lines.append(f"export interface {kind.__name__} {{")
        for name, field in _fields(kind).items():
            mark = "?" if _is_optional(field) else ""
            lines.append(f"  {name}{mark}: {to_typescript(_required(field))};")
        lines += ["}", ""]
    parameters: dict[str, list[str]] = {}
    for view in VIEWS:
        required = [f"{one.name}: {one.typescript}" for one in view.path_parameters]
        optional = [f"{one.name}?: {one.typescript} | null" for one in view.query_parameters]
        fields = "; ".join((*required, *optional))
        parameters.setdefault(view.name, []).append(
            f"{{ {fields} }}" if fields else "Record<string, never>"
        )
    lines += ["export interface Parameters {"]
    lines += [f"  {name}: {' | '.join(some)};" for name, some in parameters.items()]
    lines += ["}", "", "export interface Views {"]
    kinds = {view.name: view.data.__name__ for view in VIEWS}
    lines += [f"  {name}: {kind};" for name, kind in kinds.items()]
    return "\n".join([*lines, "}", ""])


def write_routes() -> str:
    """Return the content of routes.js: the URLs of each view, by name."""
    routes: dict[str, list[str]] = {}
    for view in VIEWS:
        routes.setdefault(view.name, []).append(view.path)
    lines = [f"  {name}: {json.dumps(paths)}," for name, paths in routes.items()]
    head = "// Generated by python -m roget.web.schema from roget/web/views; do not edit.\n\n"
    return "\n".join(
        [
            head + "/** @type {Record<string, string[]>} */",
            "export const ROUTES = {",
            *lines,
            "};",
            "",
        ]
    )


def write_pages() -> str:
    """Return the content of pages.js, which lists the pages exported by the other scripts."""
    found: dict[str, list[str]] = {}
    for script in sorted(SCRIPTS.glob("*.js")):
        if pages := _PAGE.findall(script.read_text(encoding="utf-8")):
            found[script.stem] = sorted(pages)
    head = "// The pages of the explorer. Generated by python -m roget.web.schema; do not edit.\n"
    imports = [
        f'import {{ {", ".join(pages)} }} from "./{script}.js";' for script, pages in found.items()
    ]
    names = [name for some in found.values() for name in some]
    whole = f"const UNSORTED = [{', '.join(names)}];"
    listed = ["const UNSORTED = [", *(f"  {name}," for name in names), "];"]
    return "\n".join(
        [
            head + '/** @import { Page } from "./types" */',
            "",
            *imports,
            "",
            "/** @type {Page[]} */",
            *([whole] if len(whole) <= 100 else listed),
            "",
            "/** All pages, in the order of the navigation bar. */",
            "export const PAGES = UNSORTED.sort((one, other) => one.place - other.place);",
            "",
        ]
    )


_PAGE = re.compile(r"^export const (\w+Page) = \{$", re.MULTILINE)
"""Pattern that matches the declaration of a page in a script."""

FILES = {"views.d.ts": write_types, "routes.js": write_routes, "pages.js": write_pages}
"""Generated script files, with the functions that write them."""

if __name__ == "__main__":
    for name, write in FILES.items():
        (SCRIPTS / name).write_text(write(), encoding="utf-8")
