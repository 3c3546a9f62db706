"""Choosing the next lockage of one lock.

The first vessel in the queue decides the direction. Others that wait on the
same side come along, in queue order, as long as they fit behind each other.
If today's water does not cover that lockage, vessels of the other direction
go first when their lockage costs no water.
"""

from __future__ import annotations

from dataclasses import dataclass

from canal.errors import QueueEmpty, WaterShortage
from canal.model import Chamber, Direction, Priority, Side, WaterLedger
from canal.planning.queue import PassageQueue, Ticket

# Distance kept between two vessels in the chamber.
MOORING_GAP_CM = 100


@dataclass(frozen=True)
class Lockage:
    """One planned cycle: the tickets are out of the queue, the water is booked."""

    lock: str
    direction: Direction
    tickets: tuple[Ticket, ...]
    volume_m3: float

    @property
    def vessel_ids(self) -> list[str]:
        return [ticket.vessel.id for ticket in self.tickets]


def fills_needed(chamber: Chamber, direction: Direction) -> int:
    """How many times a lockage fills the chamber from the upper pound.

    Going up always fills once. Going down fills only if the chamber does not
    stand high already. A level in between, left by a fault, is charged as a
    whole filling.
    """
    if direction is Direction.UP:
        return 1
    return 0 if chamber.is_level_with(Side.HIGH) else 1


def _turnaround_penalty(chamber: Chamber, direction: Direction) -> float:
    """Cost, in metres of lift, of turning the empty chamber round first.

    Weighs a direction change against waiting time when both sides of the
    lock are occupied.
    """
    if chamber.is_level_with(Side.entry_for(direction)):
        return 0.0
    return (chamber.high_mm - chamber.low_mm) / 1000


def _pack(chamber: Chamber, tickets: list[Ticket], direction: Direction) -> list[Ticket]:
    """The tickets that share the chamber, in queue order.

    A vessel that is too long for the space left is passed over; shorter ones
    behind it may still come along.
    """
    chosen: list[Ticket] = []
    used_cm = 0
    for ticket in tickets:
        if ticket.vessel.direction is not direction:
            continue
        gap = MOORING_GAP_CM if chosen else 0
        if used_cm + gap + ticket.vessel.length_cm <= chamber.length_cm:
            chosen.append(ticket)
            used_cm += gap + ticket.vessel.length_cm
    return chosen


def _drain(queue: PassageQueue) -> list[Ticket]:
    tickets = []
    while True:
        try:
            tickets.append(queue.pop())
        except QueueEmpty:
            return tickets


def plan_next(queue: PassageQueue, chamber: Chamber, ledger: WaterLedger) -> Lockage | None:
    """Take the next lockage out of the queue and book its water.

    Returns None for an empty queue. Raises ``WaterShortage`` with the queue
    unchanged when vessels wait but no lockage is affordable.
    """
    tickets = _drain(queue)
    if not tickets:
        return None
    chosen: list[Ticket] = []
    try:
        head = tickets[0].vessel.direction
        shortage: WaterShortage | None = None
        for direction in (head, head.opposite):
            batch = _pack(chamber, tickets, direction)
            volume = fills_needed(chamber, direction) * chamber.fill_volume_m3
            if not batch or (direction is not head and volume > 0):
                continue
            urgent = any(t.vessel.priority is Priority.EMERGENCY for t in batch)
            try:
                ledger.draw(volume, emergency=urgent)
            except WaterShortage as exc:
                shortage = exc
                continue
            chosen = batch
            return Lockage(chamber.name, direction, tuple(batch), volume)
        assert shortage is not None  # the head's own batch is never empty
        raise shortage
    finally:
        for ticket in tickets:
            if ticket not in chosen:
                queue.put_back(ticket)
