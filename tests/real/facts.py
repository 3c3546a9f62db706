"""Compares `graph facts` with facts about real repositories: facts.py GRAPH FOLDER_OF_YAML FOLDER_OF_UNPACKED.

A value that begins with ~ is a regular expression that must be found; every other value must be equal. A key with dots reaches inside;
of a list any element will do. Exits with 1 if fewer than PERCENT % of the facts hold, 95 unless given.
"""

import json
import os
import re
import subprocess
import sys

import yaml

graph, bases, unpacked = sys.argv[1:4]
# `FactKind::ALL` in crates/facts/src/fact.rs. All are named because edges are not printed otherwise.
KINDS = "project target dependency tool command setting route subcommand purpose relation trace concern rule recipe limit topic calls edge".split()
NEEDED = int(sys.argv[4]) / 100 if len(sys.argv) > 4 else 0.95


def printed_for(folder):
    command = [graph, "facts", folder, "--json"]
    for kind in KINDS:
        command += ["--kind", kind]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"facts of {folder}: exit code {run.returncode}: {run.stderr.strip()}")
    return [json.loads(line) for line in run.stdout.splitlines() if line.strip()]


def values(fact, key):
    """Returns what is at a key with dots; several values where a list is on the way."""
    found = [fact]
    for part in key.split("."):
        inside = []
        for value in found:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict) and item.get(part) is not None:
                    inside.append(item[part])
        found = inside
    return [item for value in found for item in (value if isinstance(value, list) else [value])]


def agrees(actual, expected):
    if expected.startswith("~"):
        return re.search(expected[1:], str(actual)) is not None
    return str(actual) == expected


def matches(fact, expected):
    return all(any(agrees(actual, text) for actual in values(fact, key)) for key, text in expected.items())


def load(file):
    # Every value stays a text: `no`, `ON` and 1.10 mean what is written.
    with open(os.path.join(bases, file), encoding="utf-8") as text:
        base = yaml.load(text, Loader=yaml.BaseLoader)
    for fact in base["facts"]:
        wanted = [fact[key] for key in ("has", "no") if key in fact]
        unknown = set(fact) - {"about", "has", "no", "hard"}
        if len(wanted) != 1 or unknown or "about" not in fact or wanted[0].get("kind") not in KINDS:
            sys.exit(f"{file}: {fact.get('about', fact)}: needs one line `about`, one of `has` and `no`, and a kind that exists")
    return base


def count(table, row, holds):
    held, all_of = table.get(row, (0, 0))
    table[row] = (held + holds, all_of + 1)


def show(title, table):
    print(f"\n{title:20} held  all")
    for row, (held, all_of) in table.items():
        print(f"{row:20} {held:4} {all_of:4}  {held / all_of:6.1%}")


repositories, kinds, forms = {}, {kind: (0, 0) for kind in KINDS}, {}
for file in sorted(name for name in os.listdir(bases) if name.endswith(".yaml")):
    base = load(file)
    folder = os.path.join(unpacked, base["folder"])
    if not os.path.isdir(folder):
        sys.exit(f"{file}: {folder} is no folder; it should hold {base['package']}")
    facts = printed_for(folder)
    for fact in base["facts"]:
        is_there = "has" in fact
        expected = fact["has" if is_there else "no"]
        found = [other for other in facts if matches(other, expected)]
        holds = bool(found) == is_there
        count(repositories, file.removesuffix(".yaml"), holds)
        count(kinds, expected["kind"], holds)
        count(forms, "has" if is_there else "no", holds)
        if fact.get("hard") == "true":
            count(forms, "hard", holds)
        if not holds:
            hard = " (hard)" if fact.get("hard") == "true" else ""
            print(f"{file}: {fact['about']}{hard}")
            print(f"    {'missing' if is_there else 'must not be'}: {json.dumps(expected, ensure_ascii=False)}")
            for other in found[:3]:
                print(f"    printed: {json.dumps(other, ensure_ascii=False)[:400]}")

show("repository", repositories)
show("kind", {kind: row for kind, row in kinds.items() if row[1]})
show("form", forms)
held, all_of = (sum(column) for column in zip(*repositories.values(), strict=True))
print(f"\n{held} of {all_of} facts hold: {held / all_of:.1%}; {NEEDED:.0%} are needed")
sys.exit(held / all_of < NEEDED)
