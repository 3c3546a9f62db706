"""The state file."""

from canal.storage.snapshot import SnapshotStore

__all__ = ["SnapshotStore"]
