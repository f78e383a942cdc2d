#!/usr/bin/env python3
"""Writes the tables of keys in the pages beside this script anew, from what `crumple schema` says.

  python3 docs/make_tables.py            rewrites the pages
  python3 docs/make_tables.py --check    changes nothing; exit code 1 if a page is out of date
  --program FILE                         the program to ask (default: bin/crumple)

A table stands between the lines "<!-- keys of PATH -->" and "<!-- end of keys -->". PATH names an object of the schema:
"scene" for the file itself, "bodies.examples" for what stands under "examples" in an element of "bodies".
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"<!-- keys of ([a-z_.]+) -->\n.*?<!-- end of keys -->", re.DOTALL)


def number_text(value):
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else json.dumps(value)


def type_text(schema):
    if "anyOf" in schema:
        return type_text(schema["anyOf"][0]) + " or keys"
    kind = schema.get("type", "")
    if "enum" in schema:
        return "one of " + ", ".join(f"`{word}`" for word in schema["enum"])
    if kind == "array":
        items = schema["items"]
        what = {"number": "numbers", "string": "texts", "object": "objects"}[items["type"]]
        fewest, most = schema.get("minItems"), schema.get("maxItems")
        return f"{most} {what}" if fewest is not None and fewest == most else f"list of {what}"
    if kind == "object":
        return "object" if "properties" in schema else "object of texts"
    return {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}[kind]


def range_text(schema):
    low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    if above is not None:
        return f"> {number_text(above)}" + (f", <= {number_text(high)}" if high is not None else "")
    if low is not None and high is not None:
        return number_text(low) if low == high else f"{number_text(low)} to {number_text(high)}"
    if low is not None:
        return f">= {number_text(low)}"
    return f"<= {number_text(high)}" if high is not None else ""


def default_text(schema):
    if "default" not in schema:
        return ""
    value = schema["default"]
    if isinstance(value, str):
        return f"`{value}`"
    if isinstance(value, list):
        return "[" + ", ".join(number_text(part) for part in value) + "]"
    return number_text(value)


def split_unit(description):
    """The schema says "length of the shot [s]"."""
    match = re.fullmatch(r"(.*) \[([^\]]+)\]", description)
    return (match[1], match[2]) if match else (description, "")


def object_at(schema, path):
    found = schema
    for name in [] if path == "scene" else path.split("."):
        found = found["properties"][name]
        found = found.get("items", found)
    return found


def table(schema, path):
    required = object_at(schema, path).get("required", [])
    rows = ["| key | type | default | unit | range | meaning |", "|---|---|---|---|---|---|"]
    for key, value in object_at(schema, path)["properties"].items():
        help_text, unit = split_unit(value.get("description", ""))
        default = "required" if key in required else default_text(value)
        cells = [f"`{key}`", type_text(value), default, unit, range_text(value), help_text]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description="Writes the tables of keys in the docs anew.")
    parser.add_argument("--program", default="bin/crumple")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    schema = json.loads(subprocess.run([options.program, "schema"], check=True, capture_output=True, text=True).stdout)
    stale = []
    for page in sorted(pathlib.Path(__file__).parent.glob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = BLOCK.sub(lambda block: f"<!-- keys of {block[1]} -->\n{table(schema, block[1])}\n<!-- end of keys -->", before)
        if after == before:
            continue
        stale.append(page.name)
        if not options.check:
            page.write_text(after, encoding="utf-8")
    print(("out of date: " if options.check else "rewritten: ") + ", ".join(stale) if stale else "all tables are up to date")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
