"""A model for one agent of explore: reads the log of git by a tool of a server, notes the commit, finishes. Prints its port."""
import json

from called_tools import serve


def answer(request):
    messages = request["messages"]
    results = [message for message in messages if message["role"] == "tool"]
    if not results:
        tools = [tool["function"]["name"] for tool in request["tools"]]
        assert "mcp__git__git_log" in tools, tools
        task = next(message["content"] for message in messages if message["role"] == "user")
        root = next(word.strip("`.,") for word in task.split() if word.strip("`.,").endswith("/repo"))
        return [("mcp__git__git_log", {"repo_path": root})]
    if len(results) == 1:
        said = results[0]["content"]
        found = "The first greeting" if "The first greeting" in said else f"no commit in {said}"
        return [("write_notepad", {"topic": "history", "content": f"The newest commit is: {found} (src/lib.rs:1)"})]
    return [("finish", {"summary": "Read the log."})]


def calls(_path, request):
    named = [(name, json.dumps(given)) for name, given in answer(request)]
    return named, {"id": "x", "model": "script"}, {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


serve(calls)
