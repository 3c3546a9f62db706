"""Gate drivers, and the sequence of commands that makes a lockage."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Callable, Protocol

from canal.errors import CanalError, GateError
from canal.gates.retry import RetryPolicy
from canal.model import Chamber, Direction, Side

log = logging.getLogger(__name__)


class GateDriver(Protocol):
    """What the field bus offers. Every call blocks until the move is over.

    ``open_gate`` and ``close_gate`` must be idempotent: after a timeout the
    same command is simply sent again.
    """

    def open_gate(self, lock: str, side: Side) -> None: ...

    def close_gate(self, lock: str, side: Side) -> None: ...

    def step_level(self, lock: str, current_mm: int, target_mm: int) -> int:
        """Run the paddles for one step and return the new gauge reading."""
        ...


class SimulatedDriver:
    """Driver without hardware, for tests, training and dry runs.

    ``inject`` queues failures for the next commands to that lock.
    """

    def __init__(self, mm_per_step: int = 400) -> None:
        self.mm_per_step = mm_per_step
        self.commands: deque[tuple[str, str]] = deque(maxlen=1000)
        self._failures: dict[str, deque[GateError]] = {}
        self._guard = threading.Lock()

    def inject(self, lock: str, *failures: GateError) -> None:
        with self._guard:
            self._failures.setdefault(lock, deque()).extend(failures)

    def _command(self, lock: str, text: str) -> None:
        with self._guard:
            self.commands.append((lock, text))
            pending = self._failures.get(lock)
            failure = pending.popleft() if pending else None
        if failure is not None:
            raise failure

    def open_gate(self, lock: str, side: Side) -> None:
        self._command(lock, f"open {side.value}")

    def close_gate(self, lock: str, side: Side) -> None:
        self._command(lock, f"close {side.value}")

    def step_level(self, lock: str, current_mm: int, target_mm: int) -> int:
        self._command(lock, "step")
        distance = target_mm - current_mm
        step = max(-self.mm_per_step, min(self.mm_per_step, distance))
        return current_mm + step


class CycleRunner:
    """Takes a chamber through one complete lockage.

    On any failure the chamber is left in ``FAULT`` and the error goes up;
    the runner never tries to "tidy up" gates whose position is unknown.
    """

    # A levelling that needs more steps than this has a leaking gate.
    MAX_LEVEL_STEPS = 200

    def __init__(
        self, driver: GateDriver, policy: RetryPolicy, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._driver = driver
        self._policy = policy
        self._sleep = sleep

    def run(self, chamber: Chamber, direction: Direction) -> None:
        """Let vessels in on one side and out on the other."""
        entry = Side.entry_for(direction)
        try:
            self._level_to(chamber, entry)
            self._open(chamber, entry)
            self._close(chamber, entry)
            self._level_to(chamber, entry.other)
            self._open(chamber, entry.other)
            self._close(chamber, entry.other)
        except CanalError as exc:
            chamber.fail(f"{type(exc).__name__}: {exc}")
            log.error("lock %s out of service: %s", chamber.name, exc)
            raise

    def _open(self, chamber: Chamber, side: Side) -> None:
        # The check comes before the command: the gate must not even start.
        chamber.check_may_open(side)
        self._policy.run(
            lambda: self._driver.open_gate(chamber.name, side),
            f"{chamber.name} open {side.value}",
            self._sleep,
        )
        chamber.opened(side)

    def _close(self, chamber: Chamber, side: Side) -> None:
        self._policy.run(
            lambda: self._driver.close_gate(chamber.name, side),
            f"{chamber.name} close {side.value}",
            self._sleep,
        )
        chamber.closed(side)

    def _level_to(self, chamber: Chamber, side: Side) -> None:
        if chamber.is_level_with(side):
            return
        target = chamber.pound_level(side)
        chamber.begin_levelling()
        for _ in range(self.MAX_LEVEL_STEPS):
            reading = self._policy.run(
                lambda: self._driver.step_level(chamber.name, chamber.level_mm, target),
                f"{chamber.name} level",
                self._sleep,
            )
            chamber.record_level(reading)
            if chamber.is_level_with(side):
                chamber.end_levelling()
                return
        raise GateError(f"{chamber.name}: level stuck at {chamber.level_mm} mm")
