import operator
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


class Book(TypedDict):
    chapters: list[str]
    words: Annotated[list[int], operator.add]
    total: int


def each(book):
    return [Send("count", chapter) for chapter in book["chapters"]] or "sum"


graph = StateGraph(Book)
graph.add_node("count", lambda chapter: {"words": [len(chapter.split())]})
graph.add_node("sum", lambda book: {"total": sum(book["words"])})
graph.add_conditional_edges(START, each, ["count", "sum"])
graph.add_edge("count", "sum")
graph.add_edge("sum", END)
done = graph.compile().invoke({"chapters": ["Call me Ishmael", "It was the best of times"]})
print(done["words"], done["total"])
