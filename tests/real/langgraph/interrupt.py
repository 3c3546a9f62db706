import json
from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt


class Letter(TypedDict):
    text: str
    approved: bool


def review(letter):
    return {"approved": interrupt(f"Send '{letter['text']}'?")}


graph = StateGraph(Letter)
graph.add_node("review", review)
graph.add_edge(START, "review")
graph.add_edge("review", END)
graph = graph.compile(checkpointer=InMemorySaver())
config = {"configurable": {"thread_id": "1"}}
waiting = graph.invoke({"text": "Hello"}, config)
done = graph.invoke(Command(resume=True), config)
print(waiting["__interrupt__"][0].value, json.dumps(done["approved"]))
