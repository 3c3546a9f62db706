import operator
import tempfile
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class Talk(TypedDict):
    lines: Annotated[list[str], operator.add]


def reply(talk):
    return {"lines": [f"reply {len(talk['lines'])}"]}


graph = StateGraph(Talk)
graph.add_node("reply", reply)
graph.add_edge(START, "reply")
graph.add_edge("reply", END)


def say(file, line):
    with SqliteSaver.from_conn_string(file) as saver:
        config = {"configurable": {"thread_id": "1"}}
        return graph.compile(checkpointer=saver).invoke({"lines": [line]}, config)["lines"]


with tempfile.TemporaryDirectory() as folder:
    say(f"{folder}/threads.db", "one")
    print(" | ".join(say(f"{folder}/threads.db", "two")))
