"""A lock chamber as a state machine.

Invariants, checked on every transition:

* the two gates are never open at the same time (there is no such state);
* a gate opens only when the chamber stands at the level of the pound on that
  side, within the tolerance;
* water moves only while both gates are closed.

``FAULT`` can be entered from everywhere and is left only through ``reset``.
"""

from __future__ import annotations

import enum

from canal.errors import ChamberFaulted, IllegalTransition
from canal.model.vessel import Direction, Vessel

# Water that must remain between the keel and the sill.
KEEL_CLEARANCE_CM = 20
# Free space to the chamber walls, both sides together.
BEAM_CLEARANCE_CM = 20


class Side(enum.Enum):
    LOW = "low"
    HIGH = "high"

    @property
    def other(self) -> "Side":
        return Side.HIGH if self is Side.LOW else Side.LOW

    @classmethod
    def entry_for(cls, direction: Direction) -> "Side":
        """The gate through which a vessel going *direction* comes in."""
        return cls.LOW if direction is Direction.UP else cls.HIGH


class ChamberState(enum.Enum):
    CLOSED = "closed"
    LOW_OPEN = "low_open"
    HIGH_OPEN = "high_open"
    LEVELLING = "levelling"
    FAULT = "fault"


_ALLOWED: dict[ChamberState, frozenset[ChamberState]] = {
    ChamberState.CLOSED: frozenset(
        {ChamberState.LOW_OPEN, ChamberState.HIGH_OPEN, ChamberState.LEVELLING}
    ),
    ChamberState.LOW_OPEN: frozenset({ChamberState.CLOSED}),
    ChamberState.HIGH_OPEN: frozenset({ChamberState.CLOSED}),
    ChamberState.LEVELLING: frozenset({ChamberState.CLOSED}),
    ChamberState.FAULT: frozenset(),
}

_OPEN_STATE = {Side.LOW: ChamberState.LOW_OPEN, Side.HIGH: ChamberState.HIGH_OPEN}


class Chamber:
    """State of one chamber. Not thread safe: one cycle at a time uses it."""

    def __init__(
        self,
        name: str,
        *,
        length_cm: int,
        width_cm: int,
        sill_depth_cm: int,
        low_mm: int,
        high_mm: int,
        tolerance_mm: int = 20,
    ) -> None:
        self.name = name
        self.length_cm = length_cm
        self.width_cm = width_cm
        self.sill_depth_cm = sill_depth_cm
        self.low_mm = low_mm
        self.high_mm = high_mm
        self.tolerance_mm = tolerance_mm
        self.level_mm = low_mm
        self.state = ChamberState.CLOSED
        self.fault_reason: str | None = None

    # -- geometry ---------------------------------------------------------

    @property
    def fill_volume_m3(self) -> float:
        """Water that one filling takes from the upper pound."""
        area_m2 = (self.length_cm / 100) * (self.width_cm / 100)
        return area_m2 * (self.high_mm - self.low_mm) / 1000

    def pound_level(self, side: Side) -> int:
        return self.low_mm if side is Side.LOW else self.high_mm

    def is_level_with(self, side: Side) -> bool:
        return abs(self.level_mm - self.pound_level(side)) <= self.tolerance_mm

    def admits(self, vessel: Vessel) -> bool:
        """Whether the vessel alone fits into the chamber."""
        return (
            vessel.length_cm <= self.length_cm
            and vessel.beam_cm + BEAM_CLEARANCE_CM <= self.width_cm
            and vessel.draught_cm + KEEL_CLEARANCE_CM <= self.sill_depth_cm
        )

    # -- transitions ------------------------------------------------------

    def _move(self, target: ChamberState) -> None:
        if self.state is ChamberState.FAULT:
            raise ChamberFaulted(f"{self.name}: {self.fault_reason}")
        if target not in _ALLOWED[self.state]:
            raise IllegalTransition(f"{self.name}: {self.state.value} -> {target.value}")
        self.state = target

    def check_may_open(self, side: Side) -> None:
        """Raise unless the gate on *side* may open now."""
        if self.state is ChamberState.FAULT:
            raise ChamberFaulted(f"{self.name}: {self.fault_reason}")
        if self.state is not ChamberState.CLOSED:
            raise IllegalTransition(f"{self.name}: cannot open while {self.state.value}")
        if not self.is_level_with(side):
            raise IllegalTransition(
                f"{self.name}: {side.value} gate at {self.level_mm} mm, "
                f"pound at {self.pound_level(side)} mm"
            )

    def opened(self, side: Side) -> None:
        self.check_may_open(side)
        self._move(_OPEN_STATE[side])

    def closed(self, side: Side) -> None:
        if self.state is not _OPEN_STATE[side]:
            raise IllegalTransition(f"{self.name}: {side.value} gate is not open")
        self._move(ChamberState.CLOSED)

    def begin_levelling(self) -> None:
        self._move(ChamberState.LEVELLING)

    def record_level(self, level_mm: int) -> None:
        """Take over a gauge reading; legal only while water may move."""
        if self.state is not ChamberState.LEVELLING:
            raise IllegalTransition(f"{self.name}: level changed while {self.state.value}")
        self.level_mm = level_mm

    def end_levelling(self) -> None:
        self._move(ChamberState.CLOSED)

    def fail(self, reason: str) -> None:
        """Take the chamber out of service. The first reason is kept."""
        if self.state is not ChamberState.FAULT:
            self.state = ChamberState.FAULT
            self.fault_reason = reason

    def reset(self) -> None:
        """Back into service; the operator vouches that both gates are shut."""
        if self.state is not ChamberState.FAULT:
            raise IllegalTransition(f"{self.name}: nothing to reset")
        self.state = ChamberState.CLOSED
        self.fault_reason = None
