"""Runs the graphs of a file in LangGraph and compares the nodes of each superstep. Each line is a graph and what it did here.

What LangGraph is asked for in other words: a node without an edge ends its path, so edges to END are left out; a node that goes
somewhere by itself returns a Command. LangGraph's limit of supersteps is larger than the number compared, since it counts otherwise (D3).
"""

import json
import sys
from typing import Annotated, TypedDict

from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

STEPS = 24


def tally(runs, more):
    return {name: runs.get(name, 0) + more.get(name, 0) for name in {**runs, **more}}


class Walk(TypedDict):
    runs: Annotated[dict, tally]


def chosen(node, runs):
    """The target of the node's choice after it has run so often, if it has a choice."""
    choice = node["choice"]
    return [] if choice is None else [choice["few"] if runs < choice["under"] else choice["many"]]


def sent(node):
    items = node["items"]
    return [] if items is None else [Send(items["to"], {"runs": {}}) for _ in range(items["count"])]


def deed(node):
    name = node["name"]

    def run(state):
        update = {"runs": {name: 1}}
        if not node["by_command"]:
            return update
        runs = state["runs"].get(name, 0) + 1
        return Command(update=update, goto=[*node["edges"], *chosen(node, runs), *sent(node)])

    return run


def built(spec):
    graph = StateGraph(Walk)
    for node in spec["nodes"]:
        graph.add_node(node["name"], deed(node), defer=node["deferred"])
    for node in spec["nodes"]:
        if node["by_command"]:
            continue
        for target in node["edges"]:
            graph.add_edge(node["name"], target)

        def after(state, node=node):
            return [*chosen(node, state["runs"].get(node["name"], 0)), *sent(node)] or END

        if node["choice"] is not None or node["items"] is not None:
            graph.add_conditional_edges(node["name"], after)
    for sources, target in spec["joins"]:
        graph.add_edge(sources, target)
    for entry in spec["start"]:
        graph.add_edge(START, entry)
    return graph.compile()


def supersteps(spec):
    steps = {}
    try:
        config = {"recursion_limit": STEPS + 10}
        for event in built(spec).stream({"runs": {}}, config, stream_mode="debug"):
            if event["type"] == "task" and event["step"] <= STEPS:
                steps.setdefault(event["step"], []).append(event["payload"]["name"])
    except GraphRecursionError:
        pass
    return [sorted(steps[step]) for step in sorted(steps)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        specs = [json.loads(line) for line in file]
    kinds = {"deferred": 0, "items": 0, "a join that ran": 0}
    different = 0
    for spec in specs:
        here = [sorted(step) for step in spec["supersteps"]]
        there = supersteps(spec)
        ran = {name for step in here for name in step}
        kinds["deferred"] += any(node["deferred"] for node in spec["nodes"])
        kinds["items"] += any(node["items"] for node in spec["nodes"])
        kinds["a join that ran"] += any(set(sources) <= ran and target in ran for sources, target in spec["joins"])
        if here != there:
            different += 1
            if different <= 5:
                print(json.dumps({**spec, "supersteps": None}))
                print("  here:     ", here)
                print("  LangGraph:", there)
    about = ", ".join(f"{count} with {kind}" for kind, count in kinds.items())
    print(f"{len(specs)} graphs ({about}): {different} run otherwise in LangGraph")
    if different or len(specs) < int(sys.argv[2]) or not all(kinds.values()):
        sys.exit(1)


main()
