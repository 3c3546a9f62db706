"""Compares `graph facts --kind edge` with the truth files: edges.py GRAPH TRUTH, in the folder of the packages."""

import json
import os
import subprocess
import sys

graph, truth = sys.argv[1:3]
# Compilers see definitions, import graphs see modules.
WITH_NAMES = {"jep", "jpype1", "mini-redis", "tower"}
PACKAGES_ARE_FOLDERS = {"viper", "client_golang"}
# Files of the package that the truth does not cover: tests, programs beside the library, built files beside the sources.
OUTSIDE = ("/tests/", ".test.", "src/bin/", ".d.ts")
ONLY_BELOW = {
    "jep": "src/main/java/",
    "jpype1": "native/jpype_module/src/main/java/",
    "mini-redis": "src/",
    "rxjs": "src/",
    "tower": "src/",
    "zod": "src/",
}


def package(path):
    return os.path.dirname(path) or "."


def ours(name):
    printed = subprocess.run([graph, "facts", name, "--kind", "edge", "--json"], capture_output=True, text=True, check=True).stdout
    found = set()
    for fact in map(json.loads, printed.splitlines()):
        source, target = fact["subject"]["file"], fact["to"]
        if fact["role"] == "test" or fact["class"] == "typed" or (fact["class"] == "named" and name not in WITH_NAMES):
            continue
        if name in PACKAGES_ARE_FOLDERS:
            source, target = package(source), target or "."
            if source.split("/")[-1].startswith("_") or source == target:
                continue
        if any(mark in path for path in (source, target) for mark in OUTSIDE):
            continue
        if all(path.startswith(ONLY_BELOW.get(name, "")) for path in (source, target)):
            found.add((source, target))
    return found


failed = False
print(f"{'package':14} {'truth':>5} {'found':>5} precision recall")
for file in sorted(os.listdir(truth)):
    name = file.removesuffix(".edges")
    with open(os.path.join(truth, file), encoding="utf-8") as lines:
        expected = {tuple(line.split()) for line in lines if not line.startswith("#")}
    found = ours(name)
    precision, recall = len(found & expected) / max(len(found), 1), len(found & expected) / len(expected)
    print(f"{name:14} {len(expected):5} {len(found):5}     {precision:.3f}  {recall:.3f}")
    if min(precision, recall) < 0.95:
        failed = True
        for mark, edges in (("+", found - expected), ("-", expected - found)):
            for edge in sorted(edges)[:20]:
                print("  ", mark, *edge)
sys.exit(failed)
