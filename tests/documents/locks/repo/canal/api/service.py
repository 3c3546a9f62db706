"""The service: queues, cycles, history and persistence of the whole flight.

Locking
    ``_mutex`` guards the queues, the in-flight table and the history. It is
    never held while gates move, so that vessels can be submitted meanwhile.
    Each lock has its own cycle lock, held for the length of a cycle. Order:
    cycle lock first, then ``_mutex``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Callable

from canal.errors import (
    CanalError,
    ChamberFaulted,
    DuplicateVessel,
    SnapshotError,
    UnknownVessel,
    WaterShortage,
)
from canal.gates import CycleRunner, GateDriver, RetryPolicy, SimulatedDriver
from canal.model import Chamber, ChamberState, Priority, Vessel, WaterLedger, Waterway
from canal.planning import Lockage, PassageQueue, plan_next
from canal.settings import Settings
from canal.storage import SnapshotStore

log = logging.getLogger(__name__)

_HISTORY = 256


def _today(now: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(now))


class CanalService:
    def __init__(
        self,
        waterway: Waterway,
        ledger: WaterLedger,
        runner: CycleRunner,
        store: SnapshotStore,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._waterway = waterway
        self._ledger = ledger
        self._runner = runner
        self._store = store
        self._clock = clock
        self._mutex = threading.RLock()
        self._queues = {chamber.name: PassageQueue() for chamber in waterway}
        self._cycle_locks = {chamber.name: threading.Lock() for chamber in waterway}
        self._in_flight: dict[str, str] = {}  # vessel id -> lock
        self._history: deque[dict[str, Any]] = deque(maxlen=_HISTORY)

    # -- vessels ----------------------------------------------------------

    def submit(self, vessel: Vessel) -> str:
        """Queue a vessel at the first lock on its way; returns the lock's name."""
        self._waterway.check_passable(vessel)
        lock = self._waterway.first_lock(vessel.direction)
        with self._mutex:
            self._refuse_known(vessel.id)
            self._queues[lock].submit(vessel)
        return lock

    def cancel(self, vessel_id: str) -> Vessel:
        with self._mutex:
            return self._queue_of(vessel_id).cancel(vessel_id)

    def reclassify(self, vessel_id: str, priority: Priority) -> Vessel:
        """Change the priority of a waiting vessel.

        It joins its new class at the end, as if it had just arrived.
        """
        with self._mutex:
            queue = self._queue_of(vessel_id)
            vessel = replace(queue.cancel(vessel_id), priority=priority)
            queue.submit(vessel)
            return vessel

    def _refuse_known(self, vessel_id: str) -> None:
        if vessel_id in self._in_flight:
            lock = self._in_flight[vessel_id]
            raise DuplicateVessel(f"{vessel_id} is in the chamber of {lock}")
        for name, queue in self._queues.items():
            if vessel_id in queue:
                raise DuplicateVessel(f"{vessel_id} is already waiting at {name}")

    def _queue_of(self, vessel_id: str) -> PassageQueue:
        for queue in self._queues.values():
            if vessel_id in queue:
                return queue
        raise UnknownVessel(f"{vessel_id} is not waiting")

    # -- cycles -----------------------------------------------------------

    def run_once(self, lock: str) -> Lockage | None:
        """Carry out the next lockage of one lock, if a vessel waits there."""
        chamber = self._waterway.chamber(lock)
        with self._cycle_locks[lock]:
            lockage = self._take(chamber)
            if lockage is None:
                return None
            level_before = chamber.level_mm
            try:
                self._runner.run(chamber, lockage.direction)
            except Exception:
                self._undo(chamber, lockage, water_moved=chamber.level_mm != level_before)
                raise
            self._finish(lockage)
            return lockage

    def _take(self, chamber: Chamber) -> Lockage | None:
        with self._mutex:
            queue = self._queues[chamber.name]
            if not queue:
                return None
            if chamber.state is ChamberState.FAULT:
                raise ChamberFaulted(f"{chamber.name}: {chamber.fault_reason}")
            self._ledger.roll(_today(self._clock()))
            lockage = plan_next(queue, chamber, self._ledger)
            if lockage is not None:
                for vessel_id in lockage.vessel_ids:
                    self._in_flight[vessel_id] = chamber.name
            return lockage

    def _undo(self, chamber: Chamber, lockage: Lockage, *, water_moved: bool) -> None:
        """After a failed cycle: the vessels keep their places in the queue."""
        with self._mutex:
            for ticket in lockage.tickets:
                self._in_flight.pop(ticket.vessel.id, None)
                self._queues[chamber.name].put_back(ticket)
        if not water_moved:
            self._ledger.give_back(lockage.volume_m3)

    def _finish(self, lockage: Lockage) -> None:
        now = self._clock()
        onward = self._waterway.next_lock(lockage.lock, lockage.direction)
        with self._mutex:
            for ticket in lockage.tickets:
                vessel = ticket.vessel
                self._in_flight.pop(vessel.id, None)
                if onward is not None:
                    self._queues[onward].submit(vessel)
                self._history.append(
                    {
                        "at": now,
                        "lock": lockage.lock,
                        "vessel": vessel.id,
                        "direction": lockage.direction.value,
                        "left_canal": onward is None,
                    }
                )

    def run_until_idle(self, workers: int = 1) -> int:
        """Run rounds over all locks until nothing moves; returns the lockages.

        In a round every lock makes at most one cycle, so a busy lock cannot
        starve its neighbours. An error of one lock does not stop the others;
        it is raised at the end, faults before shortages.
        """
        names = [chamber.name for chamber in self._waterway]
        total = 0
        with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
            while True:
                results = list(pool.map(self._try_once, names))
                moved = sum(1 for done, _ in results if done)
                total += moved
                if not moved:
                    break
        errors = [error for _, error in results if error is not None]
        errors.sort(key=lambda error: isinstance(error, WaterShortage))
        if errors:
            raise errors[0]
        return total

    def _try_once(self, lock: str) -> tuple[bool, CanalError | None]:
        try:
            return self.run_once(lock) is not None, None
        except CanalError as exc:
            return False, exc

    def reset(self, lock: str) -> None:
        chamber = self._waterway.chamber(lock)
        with self._cycle_locks[lock]:
            chamber.reset()

    # -- views ------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        with self._mutex:
            locks = [
                {
                    "name": chamber.name,
                    "state": chamber.state.value,
                    "level_mm": chamber.level_mm,
                    "fault": chamber.fault_reason,
                    "waiting": [v.id for v in self._queues[chamber.name].pending()],
                }
                for chamber in self._waterway
            ]
        water = self._ledger.to_dict()
        water["available_m3"] = self._ledger.available()
        return {"locks": locks, "water": water}

    def report(self) -> dict[str, Any]:
        """Passages per lock, and the vessels that have left the canal."""
        with self._mutex:
            events = list(self._history)
        return {
            "passages": dict(Counter(event["lock"] for event in events)),
            "left_canal": sum(1 for event in events if event["left_canal"]),
        }

    # -- persistence ------------------------------------------------------

    def export_state(self) -> dict[str, Any]:
        with self._mutex:
            return {
                "chambers": {
                    chamber.name: {
                        "level_mm": chamber.level_mm,
                        "state": chamber.state.value,
                        "fault": chamber.fault_reason,
                    }
                    for chamber in self._waterway
                },
                "queues": {
                    name: [vessel.to_dict() for vessel in queue.pending()]
                    for name, queue in self._queues.items()
                },
                "water": self._ledger.to_dict(),
                "history": list(self._history),
            }

    def restore_state(self, body: dict[str, Any]) -> None:
        """Take over a snapshot; only for a service that has not run yet.

        A chamber that was in the middle of a cycle comes back in ``FAULT``:
        nobody knows where its gates stand.
        """
        try:
            with self._mutex:
                for name, saved in body["chambers"].items():
                    chamber = self._waterway.chamber(name)
                    chamber.level_mm = int(saved["level_mm"])
                    state = ChamberState(saved["state"])
                    if state is ChamberState.FAULT:
                        chamber.fail(saved.get("fault") or "unknown fault")
                    elif state is not ChamberState.CLOSED:
                        chamber.fail(f"stopped while {state.value}")
                for name, vessels in body["queues"].items():
                    self._waterway.chamber(name)
                    for record in vessels:
                        self._queues[name].submit(Vessel.from_dict(record))
                self._ledger.load(body["water"])
                self._history.extend(body["history"])
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise SnapshotError(f"state does not fit this program: {exc!r}") from exc
        except CanalError as exc:
            raise SnapshotError(f"state does not fit this canal: {exc}") from exc

    def save(self) -> None:
        self._store.save(self.export_state())


class Autosaver:
    """Saves the service at a fixed interval from a thread of its own.

    Use as a context manager; leaving it saves one last time.
    """

    def __init__(self, service: CanalService, interval: float) -> None:
        self._service = service
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="autosave", daemon=True)

    def __enter__(self) -> "Autosaver":
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stop.set()
        self._thread.join()
        self._service.save()

    def _loop(self) -> None:
        while not self._stop.wait(self._interval):
            try:
                self._service.save()
            except SnapshotError as exc:
                # A full disk must not stop the locks; the next tick tries again.
                log.error("autosave failed: %s", exc)


def build_service(
    settings: Settings,
    driver: GateDriver | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> CanalService:
    """Wire a service from settings and load the state file if there is one."""
    waterway = Waterway(
        Chamber(
            spec.name,
            length_cm=spec.length_cm,
            width_cm=spec.width_cm,
            sill_depth_cm=spec.sill_depth_cm,
            low_mm=spec.low_mm,
            high_mm=spec.high_mm,
            tolerance_mm=settings.level_tolerance_mm,
        )
        for spec in settings.locks
    )
    ledger = WaterLedger(settings.daily_budget_m3, settings.emergency_share, _today(clock()))
    policy = RetryPolicy(settings.gate_attempts, settings.gate_base_delay, settings.gate_max_delay)
    runner = CycleRunner(driver or SimulatedDriver(), policy, sleep)
    store = SnapshotStore(settings.state_file)
    service = CanalService(waterway, ledger, runner, store, clock)
    body = store.load()
    if body is not None:
        service.restore_state(body)
    return service
