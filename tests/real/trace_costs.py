"""What traces cost: processor time (user and system) and time until the end of whole runs, with and without a collector, in alternating pairs.

Usage: trace_costs.py GRAPH [PAIRS [COMMAND]]   (the program; 20 pairs unless said; the beginning of one command, such as ard)
"""

import json
import os
import shutil
import socket
import statistics
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

IDEA = "A shared shopping list for families. Members add items and tick them off."
FOLDERS, FILES = 10, 10


class Answering(BaseHTTPRequestHandler):
    """A collector that takes everything."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def reply(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.taken += 1  # type: ignore[attr-defined]
        self.reply(b"", "application/x-protobuf")


class Model(Answering):
    """Reads two files in each phase of doc-phases, and ends it."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        offered = [tool["function"]["name"] for tool in request.get("tools", [])]
        message: dict = {
            "role": "assistant",
            "content": '<phase_complete>{"findings_summary": "Read.", "confidence": 0.5}</phase_complete>',
        }
        if "read_file" in offered and not any(said["role"] == "tool" for said in request["messages"]):
            paths = ["README.md", "src/part0/mod.rs"]
            calls = [{"name": "read_file", "arguments": json.dumps({"path": path})} for path in paths]
            calls = [{"id": f"c{n}", "type": "function", "function": call} for n, call in enumerate(calls)]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        answer = {
            "id": "1",
            "object": "chat.completion",
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        self.reply(json.dumps(answer).encode(), "application/json")


def serve(handler: type[Answering]) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.taken = 0  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def make_repository(folder: Path) -> None:
    folder.joinpath("src").mkdir(parents=True)
    folder.joinpath("Cargo.toml").write_text('[package]\nname = "shop"\nversion = "0.1.0"\n')
    folder.joinpath("README.md").write_text("# Shop\n\nSells bread.\n")
    parts = [f"part{number}" for number in range(FOLDERS)]
    folder.joinpath("src/main.rs").write_text("".join(f"mod {part};\n" for part in parts) + "fn main() {}\n")
    for part in parts:
        place = folder / "src" / part
        place.mkdir()
        place.joinpath("mod.rs").write_text("".join(f"mod file{number};\n" for number in range(1, FILES)))
        for number in range(1, FILES):
            text = f"//! Keeps {part} {number}.\n\n/// Counts what it keeps.\npub fn count{number}(all: &[u8]) -> usize {{\n    all.len()\n}}\n"
            place.joinpath(f"file{number}.rs").write_text(text)


def run(program: str, arguments: list[str], folder: Path, variables: dict[str, str]) -> tuple[float, float]:
    """Returns the processor time and the time of one run, in seconds."""
    for left in ["repo/.agentic", "checkpoints", "traces.json", "spec.md"]:
        shutil.rmtree(folder / left, ignore_errors=True)
        folder.joinpath(left).unlink(missing_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}
    started = time.monotonic()
    child = os.posix_spawn(
        program,
        [program, *arguments],
        env,
        file_actions=[(os.POSIX_SPAWN_OPEN, number, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for number in (1, 2)],
    )
    _, status, used = os.wait4(child, 0)
    ended = time.monotonic()
    # 1 is a result that is not accepted.
    assert os.waitstatus_to_exitcode(status) in (0, 1), Path("out").read_text()
    return used.ru_utime + used.ru_stime, ended - started


def compare(name: str, pairs: int, plain, traced) -> None:
    """Prints the medians of runs that take turns, and the median of the differences of pairs."""
    plain(), traced()
    seen = [(plain(), traced()) for _ in range(pairs)]
    for at, what in enumerate(["processor", "until end"]):
        before = statistics.median(pair[0][at] for pair in seen)
        after = statistics.median(pair[1][at] for pair in seen)
        more = statistics.median(pair[1][at] - pair[0][at] for pair in seen)
        print(f"{name:44} {what}: {before * 1e3:7.1f} ms, with {after * 1e3:7.1f} ms, pairs {more * 1e3:+7.1f} ms ({more / before:+.1%})", flush=True)


def main(program: str, pairs: int, only: str) -> None:
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    make_repository(folder / "repo")
    model, collector = serve(Model), serve(Answering)
    address = f"http://127.0.0.1:{model.server_port}/v1"
    folder.joinpath("models.yaml").write_text(f'providers:\n  scripted: {{ base_url: "{address}" }}\n')
    # Takes connections, and answers none.
    hanging = socket.create_server(("127.0.0.1", 0), backlog=100)
    to = lambda port: {"LLM_TRACING_ENABLED": "true", "LLM_TRACING_ENDPOINT": f"http://127.0.0.1:{port}/v1/traces"}
    quiet = {"LLM_TRACING_FILE": "none"}
    live = to(collector.server_port)
    ways = {
        "file alone": {"LLM_TRACING_ENABLED": "true", "OTEL_TRACES_EXPORTER": "none"},
        "collector": live | quiet,
        "collector and file": live,
        "collector that hangs": to(hanging.getsockname()[1]) | quiet,
    }
    scripted = ["run", "doc-phases", "repo", "--model", "scripted/tools", "--config", "models.yaml"]
    commands = {
        "doc-phases, scripted": scripted,
        "doc-phases, rules": ["run", "doc-phases", "repo"],
        "ard, rules": ["run", "ard", "--idea", IDEA],
    }
    try:
        for command, arguments in commands.items():
            if not command.startswith(only):
                continue
            plain = lambda: run(program, arguments, folder, {})
            compare(f"{command}: nothing", pairs, plain, plain)
            for way, variables in ways.items():
                compare(f"{command}: {way}", pairs, plain, lambda: run(program, arguments, folder, variables))
        assert collector.taken > 0, "the collector got nothing"
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    match sys.argv[1:]:
        case [program]:
            main(os.path.realpath(program), 20, "")
        case [program, pairs, *only] if len(only) < 2:
            main(os.path.realpath(program), int(pairs), "".join(only))
        case _:
            sys.exit(__doc__)
