"""Every error the project raises on purpose.

Each class carries the process exit code that the command line uses and the
HTTP status that the server answers with, so that neither of the two has to
keep a table of its own.
"""

from __future__ import annotations


class CanalError(Exception):
    """Base of all expected failures."""

    exit_code = 1
    http_status = 500


class ConfigError(CanalError):
    """The configuration file or an environment variable is unusable."""

    exit_code = 2


class InvalidVessel(CanalError):
    """A vessel's particulars are missing, malformed or do not fit the canal."""

    exit_code = 2
    http_status = 400


class UnknownVessel(CanalError):
    """No waiting vessel has this identifier."""

    exit_code = 2
    http_status = 404


class DuplicateVessel(CanalError):
    """The vessel is already waiting, or is in a chamber right now."""

    exit_code = 2
    http_status = 409


class UnknownLock(CanalError):
    """No lock has this name."""

    exit_code = 2
    http_status = 404


class QueueEmpty(CanalError):
    """A ticket was asked of a queue that has none."""


class WaterShortage(CanalError):
    """Today's water budget does not cover the next lockage."""

    exit_code = 3
    http_status = 503


class GateError(CanalError):
    """Base of the failures of gates and paddles."""

    exit_code = 4
    http_status = 503


class GateTimeout(GateError):
    """The gate did not report its end position in time. Worth a retry."""


class GateObstructed(GateError):
    """Something is between the leaves. Never retried: a person must look."""


class ChamberFaulted(GateError):
    """The chamber is out of service until an operator resets it."""

    http_status = 409


class IllegalTransition(CanalError):
    """The state machine of a chamber was asked for a forbidden step."""


class SnapshotError(CanalError):
    """The state file is damaged, or from a newer version of the program."""

    exit_code = 5
