"""Counts the tokens of a documentation run: a scripted reader on loopback explores a repository as a capable model would.

The reader reads the source files of each component once, stores what it found, and completes each phase in as few answers as the
tools allow. It speaks both the protocol of one entry a call and that of several entries with the completion, so that
programs of different versions are compared over the same repository and the same words.
Usage: tokens.py GRAPH REPOSITORY   (the program; the repository is copied, and changed nowhere)

Prints the requests, the tokens (four characters each) and the share of the fixed part: system prompt and tools of every request.
"""

import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

SOURCES = {".rs", ".py", ".js", ".ts", ".tsx", ".go", ".java", ".c", ".h", ".cc", ".cpp", ".cs", ".rb", ".php", ".sh"}
READS, STORES, FILES = 5, 4, 20
PURPOSE = "Holds what the callers of this part rely on, and hides from them how the work is divided among its functions."


class Reader:
    """The state of the reader: what it has done in each phase and component."""

    def __init__(self, root):
        self.root, self.done, self.log = root, {}, []

    def answer(self, request):
        messages = request["messages"]
        system = next(m["content"] for m in messages if m["role"] == "system")
        said = "\n".join(m["content"] or "" for m in messages if m["role"] == "user")
        tools = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", [])}
        phase = re.search(r"Phase: (\w+)", said).group(1)
        found = re.search(r'^Component \d+ of \d+: id ("[^"]*"), in (\[.*\])', said, re.M)
        component = (json.loads(found.group(1)), json.loads(found.group(2))) if found else (None, [])
        at = (phase, component[0])
        step = self.done.get(at, 0)
        self.done[at] = step + 1
        is_new = "complete" in json.dumps(tools.get("store_discovery", {}).get("parameters", {}))
        plan = self.plan(phase, component, is_new, said)
        answer = plan[min(step, len(plan) - 1)]
        fixed = len(system) + len(json.dumps(request.get("tools", [])))
        self.log.append({"phase": phase, "fixed": fixed, "prompt": len(json.dumps(messages)) + len(json.dumps(request.get("tools", []))),
                         "answer": len(json.dumps(answer))})
        return answer

    def plan(self, phase, component, is_new, said):
        self.counted = re.findall(r"^- ([\w-]+) \(", said.split("<concerns>")[-1], re.M) if "<concerns>" in said else []
        make = {"architecture_discovery": self.architecture, "component_deep_dive": self.component,
                "cross_cutting": self.concerns, "documentation_generation": self.review}[phase]
        looks, entries = make(component, is_new)
        finding = {"findings_summary": PURPOSE, "confidence": 0.8}
        if is_new:
            arguments = {"entries": entries, "complete": finding}
            return rounds(looks) + [{"content": "", "tool_calls": [call("store_discovery", arguments)]}]
        stores = [call("store_discovery", {"type": kind, "data": rest}) for kind, rest in map(split, entries)]
        if component[0]:
            stores.append(call("mark_explored", {"type": "component", "id": component[0]}))
        tag = "doc_generation_complete" if phase == "documentation_generation" else "phase_complete"
        return rounds(looks) + rounds(stores) + [{"content": f"<{tag}>{json.dumps(finding)}</{tag}>", "tool_calls": []}]

    def architecture(self, _, is_new):
        top = [p for p in ["README.md", "Cargo.toml", "package.json", "go.mod", "pyproject.toml", "pom.xml"] if (self.root / p).is_file()]
        files = sources(self.root, ["."])
        main = sorted(files, key=lambda p: ("main" not in p and "lib" not in p, p.count("/"), p))[:3]
        places = {}
        for path in files:
            parts = path.split("/")
            places.setdefault("/".join(parts[:-1]) or ".", path)
        folders = [p for p in sorted(places, key=lambda p: (p.count("/"), p)) if not re.search(r"test|example|bench|doc", p)][:4]
        entry = {"type": "architecture", "purpose": PURPOSE, "architectural_style": "Layers: the program above the parts that it uses.",
                 "component_boundaries": {name(f): [f] for f in folders}, "confidence": 0.8}
        if not is_new:
            entry |= {"system_name": self.root.name, "tech_stack": ["one language"], "entry_points": main,
                      "major_components": [name(f) for f in folders], "key_abstractions": ["the main type", "its errors", "its settings"],
                      "verified_by_files": top + main}
        looks = [call("list_files", {"directory": "."})] + [read(p) for p in top + main]
        return looks, [entry]

    def component(self, component, is_new):
        name_, places = component
        files = sources(self.root, places)[:FILES]
        looks = [read(p) for p in files]
        if not is_new:
            looks = [call("get_symbols", {"path": p}) for p in files[:10]] + looks
        entries = [{"type": "component", "component_id": name_, "responsibility": PURPOSE * 2, "confidence": 0.8}]
        if not is_new:
            entries[0] |= {"component_name": name_, "root_path": places[0], "key_files": files, "explored_files": files,
                           "public_interfaces": [p for f in files for p in interfaces(self.root / f)][:20], "dependencies": []}
        for path in files[:8]:
            entries.append({"type": "file", "file_path": path, "responsibility": PURPOSE} | ({} if is_new else
                           {"component": name_, "confidence": 0.8, "layer": "core", "imports_from": imports(self.root / path),
                            "key_functions": interfaces(self.root / path, "purpose")[:8]}))
        if is_new:
            entries[0]["public_interfaces"] = [{"name": p["name"], "description": PURPOSE} for f in files for p in interfaces(self.root / f)][:8]
        entries.append({"type": "flow", "flow_id": name_ + "-flow", "flow_name": name_, "description": PURPOSE, "confidence": 0.7,
                        "steps": [{"component": name_, "action": PURPOSE, "next": name_}] * 3, "components_involved": [name_]})
        return looks, entries

    def concerns(self, _, is_new):
        greps = ["error|Error", "log|debug|warn", "config|option|env", "thread|async|lock"]
        looks = [call("grep", {"pattern": p, "max_results": 30}) for p in greps] + [read(p) for p in sources(self.root, ["."])[:2]]
        return looks, [{"type": "cross_cutting", "concern_id": c, "concern_name": c, "concern_type": c, "description": PURPOSE * 2,
                        "files_involved": [], "components_affected": [], "confidence": 0.7} for c in self.counted or ["errors", "logging", "configuration"]]

    def review(self, _, is_new):
        kinds = ["architecture", "component", "file", "data_model", "flow", "cross_cutting"]
        looks = [] if is_new else [call("query_memory", {"query_type": k, "max_entries": 30}) for k in kinds]
        return looks, []


def split(entry):
    return entry["type"], {k: v for k, v in entry.items() if k != "type"}


def name(folder):
    return re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-") or "root"


def call(tool, arguments):
    return {"name": tool, "arguments": arguments}


def read(path):
    return call("read_file", {"path": path})


def rounds(calls):
    return [{"content": "", "tool_calls": calls[at:at + READS]} for at in range(0, len(calls), READS)]


def sources(root, places):
    found = set()
    for place in places:
        at = root / place
        found.update([at] if at.is_file() else [p for p in at.rglob("*") if p.is_file()])
    paths = [p.relative_to(root).as_posix() for p in found if p.suffix in SOURCES]
    return sorted(p for p in paths if not p.startswith((".", "node_modules/", "target/")))


def interfaces(path, said="description"):
    text = path.read_text(errors="replace")
    pattern = r"^\s*((?:pub(?:\(\w+\))? |public |export |static |async |def |func |function |class |struct )[^\n{;]{3,160})"
    found = [line.strip() for line in re.findall(pattern, text, re.M)]
    named = [(re.search(r"(?:fn|def|func|function|class|struct|enum|trait)\s+(\w+)", line), line) for line in found]
    return [{"name": n.group(1), "signature": line, said: PURPOSE} for n, line in named if n]


def imports(path):
    return re.findall(r"^\s*(?:use|import|from|#include)\s+([^\n;]{1,60})", path.read_text(errors="replace"), re.M)[:10]


def serve(reader):
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(reader.log)
                answer = reader.answer(request)
            calls = [{"index": i, "id": f"call_{number}_{i}", "type": "function",
                      "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}} for i, c in enumerate(answer["tool_calls"])]
            reason = "tool_calls" if calls else "stop"
            usage = {"prompt_tokens": reader.log[-1]["prompt"] // 4, "completion_tokens": reader.log[-1]["answer"] // 4}
            usage["total_tokens"] = sum(usage.values())
            delta = {"role": "assistant", "content": answer["content"]} | ({"tool_calls": calls} if calls else {})
            head = {"id": f"r{number}", "created": 0, "model": request["model"]}
            if request.get("stream"):
                chunks = [head | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                          head | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}]
                body, kind = "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n", "text/event-stream"
            else:
                body = json.dumps(head | {"object": "chat.completion", "usage": usage,
                                          "choices": [{"index": 0, "message": delta, "finish_reason": reason}]})
                kind = "application/json"
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    graph, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work) / repository.name
        shutil.copytree(repository, root, ignore=shutil.ignore_patterns(".agentic", ".git", "target", "node_modules"))
        reader = Reader(root)
        port = serve(reader)
        config = pathlib.Path(work) / "config.yaml"
        config.write_text(f'providers:\n  local: {{ base_url: "http://127.0.0.1:{port}/v1" }}\n')
        command = [graph, "run", "doc-phases", root, "--model", "local/reader", "--config", config]
        ended = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=600)
        if len(sys.argv) > 3:
            shutil.copytree(root / ".agentic", sys.argv[3])
        print("\n".join(ended.stdout.splitlines()[-12:] + ended.stderr.splitlines()[-12:]))
    for phase in dict.fromkeys(one["phase"] for one in reader.log):
        report(phase, [one for one in reader.log if one["phase"] == phase])
    report("all", reader.log)
    sys.exit(0 if ended.returncode <= 1 else ended.returncode)


def report(what, log):
    total, fixed = sum(one["prompt"] + one["answer"] for one in log) // 4, sum(one["fixed"] for one in log) // 4
    print(f"{what}: {len(log)} requests, {total} tokens, fixed {fixed} ({100 * fixed / max(total, 1):.0f} %)")


if __name__ == "__main__":
    main()
