"""A small JSON interface over HTTP, meant for the local machine only.

    GET    /status
    GET    /report
    POST   /vessels                  a vessel record
    DELETE /vessels/<id>
    POST   /vessels/<id>/priority    {"priority": "passenger"}
    POST   /locks/<name>/run         one lockage
    POST   /locks/<name>/reset

There is no authentication.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from canal.api.service import CanalService
from canal.errors import CanalError, InvalidVessel
from canal.model import Priority, Vessel

MAX_BODY_BYTES = 64 * 1024


class _NotFound(CanalError):
    http_status = 404


def dispatch(service: CanalService, method: str, path: str, body: Any) -> Any:
    """Route one request; raises ``CanalError`` for everything refused."""
    match (method, path.strip("/").split("/")):
        case ("GET", ["status"]):
            return service.status()
        case ("GET", ["report"]):
            return service.report()
        case ("POST", ["vessels"]):
            if not isinstance(body, dict):
                raise InvalidVessel("a JSON object is expected")
            return {"waits_at": service.submit(Vessel.from_dict(body))}
        case ("DELETE", ["vessels", vessel_id]):
            return service.cancel(vessel_id).to_dict()
        case ("POST", ["vessels", vessel_id, "priority"]):
            if not isinstance(body, dict) or "priority" not in body:
                raise InvalidVessel("priority is missing")
            priority = Priority.parse(body["priority"])
            return service.reclassify(vessel_id, priority).to_dict()
        case ("POST", ["locks", name, "run"]):
            lockage = service.run_once(name)
            return {"moved": lockage.vessel_ids if lockage else []}
        case ("POST", ["locks", name, "reset"]):
            service.reset(name)
            return {"reset": name}
    raise _NotFound(f"{method} {path}")


class _Handler(BaseHTTPRequestHandler):
    server: "CanalServer"

    def _handle(self) -> None:
        try:
            answer = dispatch(self.server.service, self.command, self.path, self._body())
            self._reply(200, answer)
        except CanalError as exc:
            self._reply(exc.http_status, {"error": type(exc).__name__, "detail": str(exc)})

    do_GET = do_POST = do_DELETE = _handle

    def _body(self) -> Any:
        raw = self.headers.get("Content-Length") or "0"
        length = int(raw) if raw.isdecimal() else -1
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            raise InvalidVessel(f"Content-Length {raw} is not acceptable")
        if length == 0:
            return None
        try:
            return json.loads(self.rfile.read(length))
        except ValueError as exc:
            raise InvalidVessel(f"not JSON: {exc}") from None

    def _reply(self, status: int, answer: Any) -> None:
        data = json.dumps(answer).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class CanalServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], service: CanalService) -> None:
        super().__init__(address, _Handler)
        self.service = service
