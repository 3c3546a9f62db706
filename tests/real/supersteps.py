"""Runs the graphs of a file in LangGraph and compares every state, plan and history. Each line is a graph, what was done to its
thread, and the checkpoints that this left here.

What LangGraph is asked for in other words: a node without an edge ends its path, so edges to END are left out. Where LangGraph differs
on purpose, the difference must be exactly the one that docs/langgraph.md names, and is counted:

D2   A node that goes somewhere has static edges besides. Here that is a defect; its `goto` has these targets as well.
D3   LangGraph's limit counts otherwise: a run that goes on gets two supersteps more, one that ends with the limit is told an error.
D12  A conditional edge sees what its own task wrote, and not its siblings. LangGraph's choices are then replaced by those made here.
F47  An update as a node drops what else was planned, and does not count as the run of a node that a join planned. The tasks that were
     dropped are planned again, so that the rest can be compared; where that is not possible, the comparison ends there.
"""

import json
import multiprocessing
import sys
from collections import Counter
from operator import add
from typing import Annotated, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError, InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

DIFFERENCES = ["D2", "D3", "D12", "F47"]


def tally(runs, more):
    return {name: runs.get(name, 0) + more.get(name, 0) for name in {**runs, **more}}


class Walk(TypedDict):
    runs: Annotated[dict, tally]
    log: Annotated[list, add]
    sum: Annotated[int, add]
    last: int


class Different(Exception):
    """A difference that is not on purpose."""


def chosen(node, seen):
    """The target of the node's choice, if it has one, when it sees this number of runs."""
    choice = node["choice"]
    return [] if choice is None else [choice["few"] if seen(choice["when"]["of"]) < choice["when"]["under"] else choice["many"]]


def sent(node):
    items = node["items"]
    if items is None:
        return []
    return [Send(items["to"], {"item": number} if items["numbers"] else {}) for number in range(items["count"])]


def deed(node):
    name, takes = node["name"], node["takes"]

    def run(state):
        item = state.get("item", 0)

        def seen(of):
            return item if takes else state["runs"].get(of, 0)

        def holds(when):
            return when is not None and seen(when["of"]) < when["under"]

        update = {"runs": {name: 1}, "log": [f"{name}:{item}" if takes == "number" else name]}
        if holds(node["adds"]):
            update["sum"] = 1 + item
        if holds(node["sets"]):
            update["last"] = 1 + node["number"]
        if node["lead"] == "edges":
            return update
        # The run of the node itself counts already.
        goto = chosen(node, lambda of: seen(of) + (of == name and not takes)) + sent(node) + [END]
        if node["lead"] == "goto":
            goto += node["edges"]
        if node["counts_down"] and item > 0:
            goto.append(Send(name, {"item": item - 1}))
        return Command(update=update, goto=goto)

    return run


class Trial:
    """A graph in LangGraph beside what it did here."""

    def __init__(self, spec):
        self.spec = spec
        self.seen = set()
        self.config = {"configurable": {"thread_id": "t"}}
        # LangGraph numbers supersteps and updates together, from the input on.
        self.here = spec["history"]
        self.by_hand = set()
        self.is_whole = False
        self.graph = self.built()

    def built(self):
        graph = StateGraph(Walk)
        for node in self.spec["nodes"]:
            graph.add_node(node["name"], deed(node), defer=node["deferred"])
            if node["lead"] != "goto":
                for target in node["edges"]:
                    graph.add_edge(node["name"], target)
            if node["lead"] == "goto beside edges" and node["edges"]:
                self.seen.add("D2")
            if node["lead"] == "edges" and (node["choice"] or node["items"]):
                graph.add_conditional_edges(node["name"], self.route(node))
        for sources, target in self.spec["joins"]:
            graph.add_edge(sources, target)
        for entry in self.spec["start"]:
            graph.add_edge(START, entry)
        return graph.compile(checkpointer=InMemorySaver())

    def route(self, node):
        def after(state, config: RunnableConfig):
            there = chosen(node, lambda of: state["runs"].get(of, 0))
            here = there
            step = config["metadata"].get("langgraph_step")
            if step is not None and step < len(self.here):
                folded = self.here[step]["state"]["runs"]
                here = chosen(node, lambda of: folded.get(of, 0))
            if here != there:
                self.seen.add("D12")
            return [*here, *sent(node)] or END

        return after

    def planned(self, snapshot):
        """The next tasks in the order in which their updates are folded, without items that were sent."""
        pushed = [task.path[0] == "__pregel_push" for task in snapshot.tasks]
        names = [task.name for task in snapshot.tasks]
        return sorted(n for n, p in zip(names, pushed) if not p) + [f"{n}+" for n, p in zip(names, pushed) if p]

    def run(self, act, value, repeated):
        """Runs to the next stop. LangGraph's limit counts two supersteps more for a run that goes on (D3)."""
        limit = act["limit"] - (2 if repeated else 0)
        config = {**self.config, "recursion_limit": limit}
        try:
            # Sync, because a set of a join that is saved in the background shows what came after (P11).
            self.graph.invoke(value, config, interrupt_before=act["breakpoints"], durability="sync")
        except GraphRecursionError:
            return "limit"
        except InvalidUpdateError:
            return "conflict"
        return "paused" if self.graph.get_state(self.config).next else "done"

    def update(self, node, before, after):
        """Writes as this node. Returns the input of the next run, or False where the rest cannot be compared."""
        update = {"runs": {node: 1}, "log": ["by hand"], "sum": 100, "last": 100}
        self.graph.update_state(self.config, update, as_node=node)
        there = Counter(self.planned(self.graph.get_state(self.config)))
        here = Counter(told(after))
        if here == there:
            return None
        self.seen.add("F47")
        lost, more = here - there, there - here
        kept = Counter(told(before)) - Counter([node])
        if lost - kept:
            raise Different(f"an update as {node} plans {dict(there)} instead of {dict(here)}, and {told(before)} was planned")
        return self.again(node, lost, more, after)

    def again(self, node, lost, more, after):
        """Returns a command that plans again what the update has dropped."""
        deferred = {at["name"] for at in self.spec["nodes"] if at["deferred"]}
        # The node itself, and deferred ones, because nothing else is planned any more.
        joined = {target for _, target in self.spec["joins"]}
        if any(name not in deferred and not (name == node and name in joined) for name in more):
            raise Different(f"an update as {node} plans {dict(more)} as well")
        if more:
            return False
        self.by_hand.add(len(self.graph_history()) - 1)
        # Where it sends anything, it replaces all that was sent.
        is_sent = any(name.endswith("+") for name in lost)
        items = [Send(name, {} if item is None else {"item": item}) for name, *items in after for item in items if is_sent]
        return Command(goto=[*(name for name in lost if not name.endswith("+")), *items])

    def graph_history(self):
        """All checkpoints, oldest first, without the one before the input."""
        return [*self.graph.get_state_history(self.config)][-2::-1]

    def compare(self):
        value = {"runs": {}, "log": [], "sum": 0, "last": 0}
        for number, act in enumerate(self.spec["acts"]):
            if act["act"] == "update":
                at = self.graph.get_state(self.config).metadata["step"]
                value = self.update(act["as"], self.here[at]["next"], self.here[at + 1]["next"])
                if value is False:
                    break
                continue
            repeated = number > 0
            ending = self.run(act, value, repeated)
            value = None
            if ending == "limit" and (repeated or act["ending"] == "done"):
                self.seen.add("D3")
            if ending == "limit" and act["ending"] == "done":
                continue
            if ending != act["ending"]:
                raise Different(f"run {number} ends {ending} instead of {act['ending']}")
        self.is_whole = value is not False
        self.compare_history()

    def compare_history(self):
        there = self.graph_history()
        if self.is_whole and len(there) != len(self.here):
            raise Different(f"{len(there)} checkpoints instead of {len(self.here)}")
        for at, (here, snapshot) in enumerate(zip(self.here, there)):
            source = "input" if at == 0 else snapshot.metadata["source"]
            if (source, snapshot.metadata["step"]) != (here["source"], at):
                raise Different(f"checkpoint {at} is {source} {snapshot.metadata['step']} instead of {here['source']}")
            if snapshot.values != here["state"]:
                raise Different(f"the state {at} is {snapshot.values} instead of {here['state']}")
            plan = self.planned(snapshot)
            is_last = at + 1 == len(there) and not self.is_whole
            if at not in self.by_hand and not is_last and plan != told(here["next"]):
                raise Different(f"after {at} {plan} run instead of {told(here['next'])}")


def told(tasks):
    """The tasks of a checkpoint here as `planned` gives those of LangGraph."""
    return [f"{name}+" if item else name for name, *item in tasks]


def tried(line):
    spec = json.loads(line)
    trial = Trial(spec)
    try:
        trial.compare()
    # Also an exception of LangGraph, or a thread of another length, is a difference of this graph.
    except Exception as different:
        return spec, trial.seen, trial.is_whole, repr(different)
    return spec, trial.seen, trial.is_whole, None


def kinds(spec):
    """The properties of a graph that are counted, because each must occur."""
    nodes, acts = spec["nodes"], spec["acts"]
    ran = {name for name in spec["history"][-1]["state"]["runs"]}
    updates = [at for at, act in enumerate(acts) if act["act"] == "update"]
    return {
        "deferred": any(node["deferred"] for node in nodes),
        "items": any(node["items"] and node["items"]["numbers"] for node in nodes),
        "items without a value": any(node["items"] and not node["items"]["numbers"] for node in nodes),
        "goto": any(node["lead"] != "edges" and node["name"] in ran for node in nodes),
        "goto and items": any(node["lead"] != "edges" and (node["items"] or node["counts_down"]) for node in nodes),
        "a conditional write": any(node["adds"] or node["sets"] for node in nodes),
        "a conflict": any(act.get("ending") == "conflict" for act in acts),
        "a join that ran": any(set(sources) <= ran and target in ran for sources, target in spec["joins"]),
        "an update at a breakpoint": any(acts[at - 1]["ending"] == "paused" for at in updates),
        "an update at the end": any(acts[at - 1]["ending"] == "done" for at in updates),
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.readlines()
    with multiprocessing.Pool() as pool:
        trials = pool.map(tried, lines, chunksize=8)
    counts, seen, cut, different = Counter(), Counter(), 0, 0
    for spec, differences, is_whole, difference in trials:
        counts.update(kind for kind, occurs in kinds(spec).items() if occurs)
        seen.update(differences)
        if difference is not None:
            different += 1
            if different <= 5:
                print(json.dumps(spec))
                print("  LangGraph:", difference)
        elif not is_whole:
            cut += 1
    print(", ".join(f"{count} with {kind}" for kind, count in counts.items()))
    print("differences on purpose:", ", ".join(f"{name} in {seen[name]}" for name in DIFFERENCES), f"({cut} compared up to F47)")
    print(f"{len(trials)} graphs: {different} run otherwise in LangGraph")
    if different or len(trials) < int(sys.argv[2]) or len(counts) < len(kinds(trials[0][0])) or not all(seen[name] for name in DIFFERENCES):
        sys.exit(1)


main()
