#!/usr/bin/env python3
"""Writes docs/fields.md, every field of a scenario, from its schema:

    stallcast schema | scripts/write_field_reference.py > docs/fields.md
"""

import json
import sys

HEAD = """# Fields of a scenario

Every field, its default and what it means; [scenario.md](scenario.md) tells how they are written. This page is made from
`stallcast schema` by `scripts/write_field_reference.py`, and a test compares the two.

A default of `""`, 0 or nothing often means that a record of the catalogue gives the value: the machine that
`cluster.instance` names, the workload of `workload.name`, the tier of `storage.tier`.

The level says who needs a field. These are *essential*: they decide most answers, and `stallcast new` writes them.
Many jobs set some of the *common* ones besides; the others are for *experts*, who measured something or doubt a default.
"""


def main():
    schema = json.load(sys.stdin)
    groups = {name: field for name, field in schema["properties"].items() if "properties" in field}
    print(HEAD)
    for name, group in groups.items():
        for field, about in group["properties"].items():
            if about["x-level"] == "essential":
                print(f"- `{name}.{field}`: {about['description'].split(' Allowed:')[0]}")
    print()
    print("## The file itself\n")
    print_table({n: f for n, f in schema["properties"].items() if n not in groups}, "")
    for name, group in groups.items():
        print(f"\n## {name}\n")
        twin = next((n for n, g in groups.items() if list(g["properties"]) == list(group["properties"])), name)
        if twin != name:
            print(f"The same fields as [{twin}](#{twin}).")
        else:
            print_table(group["properties"], name + ".")


def print_table(fields, prefix):
    print("| field | level | default | meaning |\n|---|---|---|---|")
    for name, field in fields.items():
        print(f"| `{prefix}{name}` | {field.get('x-level', '')} | {default_of(field)} | {meaning_of(field)} |")


def default_of(field):
    if "default" not in field:
        return ""
    default = field["default"]
    text = default if isinstance(default, str) and default else json.dumps(default)
    return f"`{text}`".replace("|", "\\|")


def meaning_of(field):
    words = [field.get("description", "The schema, for editors.")]
    if "enum" in field and "Allowed" not in words[0]:
        words.append("One of " + ", ".join(f"`{value}`" for value in field["enum"]) + ".")
    return " ".join(words).replace("|", "\\|").strip()


if __name__ == "__main__":
    main()
