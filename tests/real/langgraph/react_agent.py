from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


call = {"id": "call_1", "name": "add", "args": {"a": 2, "b": 2}}
model = Scripted(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("It is 4.")]))
agent = create_react_agent(model, [add])
done = agent.invoke({"messages": [("user", "2 + 2?")]})["messages"]
print(len(done), done[-1].content)
