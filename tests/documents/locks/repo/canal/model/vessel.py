"""Vessels and their particulars."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Any, Mapping

from canal.errors import InvalidVessel

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Direction(enum.Enum):
    UP = "up"
    DOWN = "down"

    @property
    def opposite(self) -> "Direction":
        return Direction.DOWN if self is Direction.UP else Direction.UP


class Priority(enum.IntEnum):
    """Smaller is served first."""

    EMERGENCY = 0
    PASSENGER = 1
    FREIGHT = 2
    LEISURE = 3

    @classmethod
    def parse(cls, text: str) -> "Priority":
        try:
            return cls[text.strip().upper()]
        except (KeyError, AttributeError):
            known = ", ".join(member.name.lower() for member in cls)
            raise InvalidVessel(f"priority {text!r} is not one of {known}") from None


@dataclass(frozen=True)
class Vessel:
    """One vessel with its direction of travel.

    Immutable: a change of priority makes a new object.
    """

    id: str
    length_cm: int
    beam_cm: int
    draught_cm: int
    direction: Direction
    priority: Priority = Priority.LEISURE

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            raise InvalidVessel(f"bad vessel id {self.id!r}")
        for name in ("length_cm", "beam_cm", "draught_cm"):
            value = getattr(self, name)
            # bool is an int in Python, and True is not a length.
            if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
                raise InvalidVessel(f"{self.id}: {name} must be a positive integer")

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "length_cm": self.length_cm,
            "beam_cm": self.beam_cm,
            "draught_cm": self.draught_cm,
            "direction": self.direction.value,
            "priority": self.priority.name.lower(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Vessel":
        try:
            return cls(
                id=data["id"],
                length_cm=data["length_cm"],
                beam_cm=data["beam_cm"],
                draught_cm=data["draught_cm"],
                direction=Direction(data["direction"]),
                priority=Priority.parse(data.get("priority", "leisure")),
            )
        except KeyError as exc:
            raise InvalidVessel(f"missing field {exc.args[0]}") from None
        except ValueError as exc:
            raise InvalidVessel(str(exc)) from None
