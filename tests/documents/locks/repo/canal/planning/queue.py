"""The queue of vessels that wait at one lock.

A binary heap ordered by priority, then by arrival. Removing from the middle
of a heap is expensive, so a cancelled ticket stays in the heap and is skipped
when it comes to the top.

The queue does no locking of its own; the service holds its mutex around
every call.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from canal.errors import DuplicateVessel, QueueEmpty, UnknownVessel
from canal.model import Vessel


class Ticket(NamedTuple):
    """A place in the queue. Tuples compare by priority, then by number.

    Numbers are unique within a queue, so a comparison never gets as far as
    the vessel.
    """

    priority: int
    number: int
    vessel: Vessel


class PassageQueue:
    def __init__(self) -> None:
        self._heap: list[Ticket] = []
        self._live: dict[str, Ticket] = {}
        self._cancelled: set[str] = set()
        self._next_number = 1

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, vessel_id: object) -> bool:
        return vessel_id in self._live

    def submit(self, vessel: Vessel) -> Ticket:
        """Put the vessel at the end of its priority class."""
        if vessel.id in self._live:
            raise DuplicateVessel(f"{vessel.id} is already waiting")
        ticket = Ticket(int(vessel.priority), self._next_number, vessel)
        self._next_number += 1
        self._insert(ticket)
        return ticket

    def cancel(self, vessel_id: str) -> Vessel:
        """Take a vessel out of the queue and return it."""
        try:
            ticket = self._live.pop(vessel_id)
        except KeyError:
            raise UnknownVessel(f"{vessel_id} is not waiting here") from None
        self._cancelled.add(vessel_id)
        return ticket.vessel

    def pop(self) -> Ticket:
        """Remove and return the first live ticket."""
        while self._heap:
            ticket = heapq.heappop(self._heap)
            if ticket.vessel.id in self._cancelled:
                self._cancelled.discard(ticket.vessel.id)
                continue
            self._live.pop(ticket.vessel.id, None)
            return ticket
        raise QueueEmpty("no vessel is waiting")

    def put_back(self, ticket: Ticket) -> None:
        """Return a popped ticket to its old place."""
        if ticket.vessel.id in self._live:
            raise DuplicateVessel(f"{ticket.vessel.id} is already waiting")
        self._insert(ticket)

    def pending(self) -> list[Vessel]:
        """The waiting vessels in the order of service."""
        return [ticket.vessel for ticket in sorted(self._live.values())]

    def _insert(self, ticket: Ticket) -> None:
        heapq.heappush(self._heap, ticket)
        self._live[ticket.vessel.id] = ticket
