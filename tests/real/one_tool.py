"""Stands between the agents of explore and the real model of model.sh, whose server knows no tools and which is too small to choose one. Chooses
the tool: `delegate` in the first answer above the deepest level, else `finish`. The model writes the arguments, by JSON Schema. Prints its port.

Usage: one_tool.py PORT_OF_THE_MODEL
"""

import json
import re
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        offered = {tool["function"]["name"] for tool in request["tools"]}
        assert {"delegate", "finish", "write_notepad", "read_file"} <= offered, offered
        name, properties = choose(request["messages"])
        answer = ask(self.path, request, properties)
        function = {"name": name, "arguments": answer["choices"][0]["message"]["content"]}
        call = {"index": 0, "id": "c0", "type": "function", "function": function}
        head = {"id": answer["id"], "object": "chat.completion.chunk", "created": 0, "model": answer["model"]}
        pieces = [
            {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
            {**head, "choices": [], "usage": answer["usage"]},
        ]
        body = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
