"""What phoenix.sh needs: waits for Phoenix, plays a model with tool calls, and reads the spans back.

Usage: phoenix.py wait URL | model | check URL MARK
"""

import json
import sys
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECTION = "## Overview\n\nThe integration collects the logs of Acme Gate, which is a shop that keeps bread.\n"

# Runs with texts; the others have none.
CAPTURED = ("doc-phases", "contextualize", "explore", "sections", "reader")

READY_WITHIN_S = 180
ARRIVES_WITHIN_S = 60


def get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=30) as reply:
        return json.load(reply)


def wait(url: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                sys.exit(f"Phoenix did not answer within {READY_WITHIN_S} s")
            time.sleep(0.5)


class Model(BaseHTTPRequestHandler):
    """Plays the parts of all workflows: calls tools if it has any, then answers, or finishes where there is a tool for that."""

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message: dict = {"role": "assistant", "content": "It is a shop that keeps bread."}
        reason = "stop"
        offered = [tool["function"]["name"] for tool in request.get("tools", [])]
        has_asked = any(said["role"] == "tool" for said in request["messages"])
        calls: list[tuple[str, dict]] = []
        system = request["messages"][0]["content"]
        if system.startswith("You judge"):
            message["content"] = json.dumps({"score": 9, "feedback": []})
        elif "get_service_info" in offered:
            reading = [("get_service_info", {"readme_section": "Overview"}), ("read_file", {"path": "manifest.yml"})]
            calls = [] if has_asked else reading
            message["content"] = SECTION
        elif "generate_context" in offered:
            calls = [] if has_asked else [("scan_structure", {}), ("generate_context", {"insights": "It keeps bread."})]
        elif "store_discovery" in offered:
            reading = [("read_file", {"path": "Cargo.toml"}), ("query_memory", {"query_type": "component", "max_entries": 5})]
            calls = [] if has_asked else [(name, given) for name, given in reading if name in offered]
            done = {"findings_summary": "It is a shop that keeps bread.", "confidence": 0.9}
            message["content"] = f"<phase_complete>{json.dumps(done)}</phase_complete>"
        elif offered and not has_asked:
            folder = "shop" if "finish" not in offered else "."
            calls = [("list_directory", {"path": folder}), ("read_file", {"path": f"{folder}/Cargo.toml"})]
        elif "finish" in offered:
            calls = [("finish", {"summary": "`src/main.rs` opens the store."})]
        if calls:
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                    for n, (name, arguments) in enumerate(calls)
                ],
            }
            reason = "tool_calls"
        answer = {
            "id": "1",
            "object": "chat.completion",
            "model": "scripted-1",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def model() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def spans_of(url: str, project: str) -> list[dict]:
    """Returns the spans of a project once its run has arrived: the root is sent last."""
    deadline = time.monotonic() + ARRIVES_WITHIN_S
    while True:
        spans: list[dict] = []
        cursor = ""
        try:
            while cursor is not None:
                query = urllib.parse.urlencode({"limit": 1000, **({"cursor": cursor} if cursor else {})})
                page = get(f"{url}/v1/projects/{project}/spans?{query}")
                spans += page["data"]
                cursor = page.get("next_cursor")
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"{project}: {error}")
        if any(span["parent_id"] is None for span in spans):
            return spans
        if time.monotonic() > deadline:
            sys.exit(f"{project}: no root among {len(spans)} spans")
        time.sleep(0.5)


def check_tree(project: str, spans: list[dict], name: str) -> None:
    ids = {span["context"]["span_id"] for span in spans}
    roots = [span for span in spans if span["parent_id"] not in ids]
    assert len(roots) == 1, f"{project}: {len(roots)} roots"
    assert roots[0]["name"].startswith(f"invoke_workflow {name}"), roots[0]["name"]
    assert len({span["context"]["trace_id"] for span in spans}) == 1, project
    assert len({span["attributes"]["session.id"] for span in spans}) == 1, project
    unknown = [span["name"] for span in spans if span["span_kind"] == "UNKNOWN"]
    assert not unknown, f"{project}: {unknown}"


def of_kind(spans: list[dict], kind: str) -> list[dict]:
    return [span for span in spans if span["span_kind"] == kind]


def tokens(span: dict) -> tuple:
    has = span["attributes"]
    return has.get("llm.token_count.prompt"), has.get("llm.token_count.completion")


def check(url: str, mark: str) -> None:
    for name in ["ard", "doc-phases", "contextualize", "explore", "sections", "reader", "quiet"]:
        project = f"{name}-{mark}"
        spans = spans_of(url, project)
        check_tree(project, spans, "reader" if name == "quiet" else name)
        models, tools = of_kind(spans, "LLM"), of_kind(spans, "TOOL")
        print(f"{name}: {len(spans)} spans, {len(models)} models, {len(tools)} tools")
        assert models, f"{name}: no calls of models"
        assert tools or name == "ard", f"{name}: no calls of tools"
        for call in models:
            assert call["attributes"].get("llm.model_name"), call
            assert all(isinstance(count, int) for count in tokens(call)), (call["name"], tokens(call))
        if name in CAPTURED:
            check_texts(name, models, tools)
        if name == "sections":
            check_sections(spans)
        if name in ("reader", "quiet"):
            assert [tokens(call) for call in models] == [(100, 20)] * 2, models
            assert sorted(call["name"] for call in tools) == ["execute_tool list_directory", "execute_tool read_file"]
            assert len(of_kind(spans, "AGENT")) == 1
            text = json.dumps(spans)
            assert "Zq3vT8nLw1Xk5Rb7" not in text
            shows = name == "reader"
            for word in ["What is in the folder", "keeps bread", "Sells bread"]:
                assert (word in text) == shows, f"{name}: {word}"
            if shows:
                check_messages(models, tools)
    print("Phoenix shows every run as one tree")


def check_texts(name: str, models: list[dict], tools: list[dict]) -> None:
    """Every call has its messages, its answer and its results, as Phoenix translated them."""
    for call in models:
        has = call["attributes"]
        assert has.get("llm.input_messages.0.message.content"), f"{name}: {call['name']}: {sorted(has)}"
        said = [key for key in has if key.startswith("llm.output_messages.0.message.")]
        assert any("content" in key or "tool_calls" in key for key in said), f"{name}: {call['name']}: {sorted(has)}"
    for tool in tools:
        assert tool["attributes"].get("output.value"), f"{name}: {tool['name']}: {sorted(tool['attributes'])}"


def check_sections(spans: list[dict]) -> None:
    """A section has its generator, and the verdicts of its validators and of its critic."""
    named = [span["name"] for span in spans]
    assert any(name.startswith("invoke_agent generator of") for name in named), named
    verdicts = {span["name"]: span["attributes"] for span in of_kind(spans, "EVALUATOR")}
    assert len(verdicts) > 1 and any("critic" in name for name in verdicts), verdicts
    for name, verdict in verdicts.items():
        assert verdict.get("gen_ai.evaluation.name"), (name, verdict)


def check_messages(models: list[dict], tools: list[dict]) -> None:
    """Phoenix translated the messages, so that its page of a span shows them."""
    last = max(models, key=lambda call: call["start_time"])["attributes"]
    roles = [last.get(f"llm.input_messages.{n}.message.role") for n in range(4)]
    assert roles == ["user", "assistant", "tool", "tool"], (roles, sorted(last))
    called = last.get("llm.input_messages.1.message.tool_calls.0.tool_call.function.name")
    assert called == "list_directory", (called, sorted(last))
    said = last.get("llm.output_messages.0.message.content", "")
    assert "keeps bread" in said, sorted(last)
    assert "llm.tools.0.tool.json_schema" in last, sorted(last)
    for tool in tools:
        assert tool["attributes"].get("output.value"), sorted(tool["attributes"])
        assert tool["attributes"].get("input.value"), sorted(tool["attributes"])


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["wait", url]:
            wait(url)
        case ["model"]:
            model()
        case ["check", url, mark]:
            check(url, mark)
        case _:
            sys.exit(__doc__)
