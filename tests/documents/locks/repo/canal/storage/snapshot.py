"""Versioned snapshots of the service state in one JSON file.

Layout of the file::

    {"version": 3, "checksum": "<sha256 of the body>", "body": {...}}

The checksum covers the body as canonical JSON (sorted keys, no spaces).

Versions
    1  levels in centimetres (``level_cm``), one list of vessels for the flight
    2  levels in millimetres (``level_mm``)
    3  vessels listed per lock under ``queues``

Older versions are migrated on load, one step at a time, and written back as
the current version at the next save. Newer versions are refused.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable

from canal.errors import SnapshotError

CURRENT_VERSION = 3

Body = dict[str, Any]


def _v1_to_v2(body: Body) -> Body:
    for chamber in body["chambers"].values():
        chamber["level_mm"] = chamber.pop("level_cm") * 10
    return body


def _v2_to_v3(body: Body) -> Body:
    # Version 2 kept the lock at which a vessel waits inside its record.
    queues: dict[str, list[Any]] = {name: [] for name in body["chambers"]}
    for record in body.pop("vessels"):
        queues[record.pop("waits_at")].append(record)
    body["queues"] = queues
    body.setdefault("history", [])
    return body


_MIGRATIONS: dict[int, Callable[[Body], Body]] = {1: _v1_to_v2, 2: _v2_to_v3}


def _checksum(body: Body) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def migrate(body: Body, version: int) -> Body:
    """Bring a body up to the current version; the argument is not changed."""
    body = copy.deepcopy(body)
    while version < CURRENT_VERSION:
        try:
            step = _MIGRATIONS[version]
            body = step(body)
        except (KeyError, TypeError, AttributeError) as exc:
            raise SnapshotError(f"cannot migrate from version {version}: {exc!r}") from exc
        version += 1
    return body


class SnapshotStore:
    """Reads and writes the state file."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._guard = threading.Lock()

    def save(self, body: Body) -> None:
        """Replace the file in one step: readers see the old or the new one."""
        document = {"version": CURRENT_VERSION, "checksum": _checksum(body), "body": body}
        temporary = self.path.with_name(self.path.name + ".tmp")
        with self._guard:
            try:
                with open(temporary, "w", encoding="utf-8") as handle:
                    json.dump(document, handle, indent=1, sort_keys=True)
                    handle.flush()
                    os.fsync(handle.fileno())
                os.replace(temporary, self.path)
            except OSError as exc:
                raise SnapshotError(f"cannot write {self.path}: {exc}") from exc

    def load(self) -> Body | None:
        """The stored body, or None if there is no file yet."""
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            version, body, stored = (document[k] for k in ("version", "body", "checksum"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as exc:
            raise SnapshotError(f"{self.path} is unreadable: {exc!r}") from exc
        if not isinstance(version, int) or not 1 <= version <= CURRENT_VERSION:
            raise SnapshotError(f"{self.path}: version {version!r} is not known")
        if _checksum(body) != stored:
            raise SnapshotError(f"{self.path}: checksum mismatch")
        return migrate(body, version)
