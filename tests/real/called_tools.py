"""An endpoint of models that answers with calls of tools, as a stream. Used by the scripts that stand for a model."""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(answer):
    """Prints its port and serves. `answer(path, request)` returns the calls as names with JSON arguments, the id, the model and the usage."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            named, head, usage = answer(self.path, request)
            calls = [
                {"index": at, "id": f"c{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for at, (name, arguments) in enumerate(named)
            ]
            head = {**head, "object": "chat.completion.chunk", "created": 0}
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
