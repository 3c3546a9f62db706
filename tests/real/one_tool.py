"""Stands between the agents of explore and the real model of model.sh, whose server knows no tools and which is too small to choose one. Chooses
the tool: `delegate` in the first answer above the deepest level, else `finish`. The model writes the arguments, by JSON Schema. Prints its port.

Usage: one_tool.py PORT_OF_THE_MODEL
"""

import json
import re
import sys
import urllib.request

from called_tools import serve


def choose(messages: list[dict]) -> tuple[str, dict]:
    """Returns the tool of an answer, and the properties of its arguments."""
    system, task = messages[0]["content"], messages[1]["content"]
    depth, deepest = map(int, re.search(r"at depth (\d+) of at most (\d+)", system).groups())
    if depth == deepest or any(message["role"] == "assistant" for message in messages):
        return "finish", {"summary": {"type": "string", "minLength": 1, "maxLength": 100}}
    scope = re.search(r"^Your scope: `(.*)`$", task, re.M)
    before = f"{scope[1]}/" if scope else "src/"
    inner = [file.removeprefix(before) for file in re.findall(r"^- (.*)$", task, re.M) if file.startswith(before)]
    folder = before + next(file.split("/")[0] for file in inner if "/" in file)
    return "delegate", {"target": {"const": folder}, "purpose": {"type": "string", "minLength": 1, "maxLength": 60}}


def ask(path: str, request: dict, properties: dict) -> dict:
    """Returns the answer of the model, whose text is the arguments."""
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    # Its words about the tools are of no use to a model without any.
    messages = [message for message in request["messages"] if message["role"] in ("system", "user")]
    form = {"type": "json_schema", "json_schema": {"name": "arguments", "schema": schema}}
    body = {"messages": messages, "max_tokens": request["max_tokens"], "response_format": form}
    model = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(model, timeout=300) as reply:
        return json.load(reply)


def answer(path: str, request: dict):
    offered = {tool["function"]["name"] for tool in request["tools"]}
    assert {"delegate", "finish", "write_notepad", "read_file"} <= offered, offered
    name, properties = choose(request["messages"])
    said = ask(path, request, properties)
    arguments = said["choices"][0]["message"]["content"]
    return [(name, arguments)], {"id": said["id"], "model": said["model"]}, said["usage"]


serve(answer)
