from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class Greeting(TypedDict):
    name: str
    text: str


builder = StateGraph(Greeting)
builder.add_node("greet", lambda greeting: {"text": f"Hello, {greeting['name']}!"})
builder.add_edge(START, "greet")
builder.add_edge("greet", END)
graph = builder.compile()
