from typing import Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


class Job(TypedDict):
    tries: int


def attempt(job) -> Command[Literal["attempt", "__end__"]]:
    following = "attempt" if job["tries"] < 2 else END
    return Command(update={"tries": job["tries"] + 1}, goto=following)


graph = StateGraph(Job)
graph.add_node("attempt", attempt)
graph.add_edge(START, "attempt")
print(graph.compile().invoke({"tries": 0})["tries"])
