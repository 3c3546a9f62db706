"""A model for one agent of explore: reads the log of git by a tool of a server, notes the commit, finishes. Prints its port."""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        calls = [
            {"index": at, "id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for at, (name, given) in enumerate(answer(request))
        ]
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "script"}
        pieces = [
            {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": calls}, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
            {**head, "choices": [], "usage": usage},
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
