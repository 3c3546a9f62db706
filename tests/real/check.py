"""Checks what a debate, or a documentation run, over a real model left behind: form, not quality.

Usage: check.py spec EXIT_CODE REVIEWER <spec.md | check.py history <lines | check.py state IDEA <state
       check.py phases ROUNDS AGENTIC_FOLDER | check.py scope REPOSITORY <file | check.py sections PACKAGE <state
       check.py explore RESULTS
`spec` prints the Mermaid text of the diagram as a JSON list, for mermaid.mjs; `mermaid` reads that program's answer.
"""

import json
import pathlib
import re
import sys

SECTIONS = [
    "Open questions", "Overview", "Actors", "Requirements", "Numbers", "Quality goals", "Constraints and non-goals", "Components",
    "Component diagram", "Interfaces", "Data", "Flows", "States", "Decisions", "Assumptions", "Traceability",
    "Further questions", "Notes of the reviewer", "Appendix: how the challenges were resolved",
]
KINDS = ["Subsystems", "Agents", "APIs", "User interface", "Data stores", "Utilities", "External systems", "Remarks"]


def spec(exit_code: str, reviewer: str) -> None:
    text = sys.stdin.read()
    _, front, body = text.split("---\n", 2)
    (ending,) = re.findall(r"^ending: (\w+)$", front, re.M)
    # Rules cannot verify; a model can, unless the idea contradicts itself.
    endings = {"0": ["not_judged"] if reviewer == "offline" else ["verified"], "1": ["limit", "circle", "refused"]}
    assert ending in endings[exit_code], ending
    status = "verified" if ending == "verified" else "max_iterations_reached"
    assert f"status: {status}\n" in front, front
    assert re.search(r"^rounds: [1-3]$", front, re.M), front
    assert re.search(r"^components: [1-9]\d*$", front, re.M), front
    assert re.search(r'^thread: "real"$', front, re.M), front
    for agent, model in {"architect": "local/smollm2", "reviewer": reviewer}.items():
        author = "rules" if model == "offline" else "model"
        assert f'{agent}:\n  model: "{model}"\n  written_by: {author}\n' in front, front
    assert re.search(r"^  completion_tokens: [1-9]\d*$", front, re.M), front
    lines = body.splitlines()
    assert sum(line.startswith("# ") for line in lines) == 1, "one title"
    headings = [line[3:] for line in lines if line.startswith("## ")]
    trace = ["ARD Trace Log — Max Iterations Reached"] if exit_code == "1" else []
    known = SECTIONS + trace
    assert headings == [section for section in known if section in headings], headings
    assert not {"Overview", "Requirements", "Components", "Traceability", *trace} - set(headings), headings
    kinds = [line[4:] for line in lines if line.startswith("### ") and not line.startswith("### Round ")]
    assert kinds and all(kind in KINDS for kind in kinds), kinds
    if trace:
        assert re.search(r"^1\. \[(completeness|consistency|ambiguity)\] \S", body, re.M), "the open challenges"
    # The first diagram has the components; flows and states have others.
    diagram = re.findall(r"^```mermaid\n(.*?)^```$", body, re.M | re.S)[0]
    print(json.dumps([diagram]))


def mermaid() -> None:
    (answer,) = json.load(sys.stdin)
    assert answer.get("nodes"), answer
    print(f"Mermaid draws its {len(answer['nodes'])} components")


def history() -> None:
    entries = [json.loads(line) for line in sys.stdin if line.strip()]
    # The start, a draft and a review a round, the writing of the file.
    assert len(entries) >= 4, entries
    print(f"{len(entries)} checkpoints are whole")


def state(idea: str) -> None:
    debate = json.load(sys.stdin)["state"]
    assert debate["rough_idea"] == idea, debate["rough_idea"]
    assert debate["status"] in ("verified", "max_iterations_reached"), debate["status"]
    names = [part["name"] for part in debate["current_draft"]["components"]]
    assert names and len(set(names)) == len(names), names
    assert all(part["purpose"].strip() for part in debate["current_draft"]["components"])
    for review in debate["challenge_history"]:
        assert (review["status"] == "verified") == (review["challenges"] == []), review
        assert [challenge["id"] for challenge in review["challenges"]] == list(range(1, len(review["challenges"]) + 1))
    print(f"{len(debate['challenge_history'])} reviews keep the protocol")


def phases(rounds: str, folder: str) -> None:
    agentic = pathlib.Path(folder)
    (session,) = (json.loads(file.read_text()) for file in agentic.glob("doc_sessions/*.json"))
    assert session["status"] == "finished", session["status"]
    for name in ["architecture_discovery", "cross_cutting", "documentation_generation"]:
        phase = session["phases"][name]
        assert phase["status"] in ("completed", "budget_exhausted"), phase
        assert 1 <= phase["rounds"] <= int(rounds), phase
    (debug,) = agentic.glob("doc_sessions/*_debug.txt")
    assert debug.read_text().strip(), "the log of the rounds"
    for document in session["written"]["documents"]:
        assert (agentic.parent / document).stat().st_size > 0, document
    for entry in agentic.glob("memory/*/*.json"):
        json.loads(entry.read_text())
    asked = sum(phase["rounds"] for phase in session["phases"].values())
    print(f"{asked} rounds over HTTP, {len(session['written']['documents'])} documents")


def scope(folder: str) -> None:
    text = sys.stdin.read()
    _, front, body = text.split("---\n", 2)
    assert "smollm2" in front, front
    assert body.strip(), "the answer is empty"
    places = re.findall(r"([\w./-]+\.\w+):(\d+)(?:-(\d+))?", body)
    for path, start, end in places:
        lines = (pathlib.Path(folder) / path).read_text().splitlines()
        assert 1 <= int(start) <= int(end or start) <= len(lines), (path, start, end)
    print(f"an answer over HTTP with {len(places)} places, all of them in the repository")


def sections(folder: str) -> None:
    run = json.load(sys.stdin)["state"]
    (section,) = run["written_sections"].values()
    assert section["title"] == "Overview" and section["iterations"] == 1, section
    text = (pathlib.Path(folder) / "_dev/build/docs/README.md").read_text()
    assert text.startswith("# Acme Gate Integration for Elastic\n"), text
    assert re.findall(r"^## (.*)$", text, re.M)[0] == "Overview", text
    assert len(text.splitlines()) > 4, text
    print(f"a section of {len(text.split())} words over HTTP")


def explore(folder: str) -> None:
    results = pathlib.Path(folder)
    agents = json.loads((results / "agents.json").read_text())
    levels = [(agent["id"], agent.get("parent"), agent["depth"], agent["scope"]["path"]) for agent in agents]
    inner = [("0.1", "0", 1, "src/greeting"), ("0.1.1", "0.1", 2, "src/greeting/words")]
    assert levels == [("0", None, 0, ""), *inner], levels
    for agent in agents:
        assert agent["end"] == "finished" and agent["summary"].strip(), agent
        assert agent["rounds"] == (1 if agent["depth"] == 2 else 2), agent
        assert agent["took"]["usage"]["completion_tokens"] > 0, agent
    events = [json.loads(line) for line in (results / "events.jsonl").read_text().splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), "the numbers have a gap"
    count = lambda *names: sum(event["event"] in names for event in events)
    assert count("agent_spawned") == count("agent_finished") == 3 and count("agent_error") == 0
    assert count("tool_start") == count("tool_end") == 5 and count("tool_error") == 0
    coverage = json.loads((results / "coverage.json").read_text())
    assert len(coverage["read"]) + len(coverage["unread"]) == 3, coverage
    answers = sum(agent["took"]["answers"] for agent in agents)
    print(f"{len(agents)} agents on three levels, {answers} answers over HTTP, {len(events)} events")


if __name__ == "__main__":
    {"spec": spec, "scope": scope, "sections": sections, "explore": explore, "mermaid": mermaid, "history": history, "state": state, "phases": phases}[sys.argv[1]](*sys.argv[2:])
