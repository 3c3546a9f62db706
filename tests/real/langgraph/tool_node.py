from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


graph = StateGraph(MessagesState)
graph.add_node("tools", ToolNode([add]))
graph.add_edge(START, "tools")
graph.add_edge("tools", END)
call = {"id": "call_1", "name": "add", "args": {"a": 2, "b": 2}}
done = graph.compile().invoke({"messages": [AIMessage("", tool_calls=[call])]})
print(done["messages"][-1].content)
