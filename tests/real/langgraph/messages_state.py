from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def correct(state):
    return {"messages": [AIMessage("4", id="m2")]}


def forget(state):
    return {"messages": [RemoveMessage("m1")]}


def thank(state):
    return {"messages": [HumanMessage("Thank you.")]}


graph = StateGraph(MessagesState)
graph.add_sequence([correct, forget, thank])
graph.add_edge(START, "correct")
graph.add_edge("thank", END)
said = [HumanMessage("2 + 2?", id="m1"), AIMessage("5", id="m2")]
done = graph.compile().invoke({"messages": said})
print(" | ".join(message.content for message in done["messages"]))
