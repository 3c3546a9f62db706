"""The flight of locks, and the water it may use in a day."""

from __future__ import annotations

import threading
from typing import Any, Iterable, Iterator, Mapping

from canal.errors import InvalidVessel, UnknownLock, WaterShortage
from canal.model.chamber import Chamber
from canal.model.vessel import Direction, Vessel


class Waterway:
    """Chambers in the order in which a vessel going up meets them."""

    def __init__(self, chambers: Iterable[Chamber]) -> None:
        self._chambers = list(chambers)
        self._index = {c.name: i for i, c in enumerate(self._chambers)}
        if not self._chambers:
            raise ValueError("a waterway needs at least one chamber")

    def __iter__(self) -> Iterator[Chamber]:
        return iter(self._chambers)

    def chamber(self, name: str) -> Chamber:
        try:
            return self._chambers[self._index[name]]
        except KeyError:
            raise UnknownLock(f"no lock named {name!r}") from None

    def first_lock(self, direction: Direction) -> str:
        return self._chambers[0 if direction is Direction.UP else -1].name

    def next_lock(self, name: str, direction: Direction) -> str | None:
        """The lock after *name*, or None where the flight ends."""
        step = 1 if direction is Direction.UP else -1
        position = self._index[name] + step
        if 0 <= position < len(self._chambers):
            return self._chambers[position].name
        return None

    def check_passable(self, vessel: Vessel) -> None:
        """Refuse a vessel at the start rather than halfway up the flight."""
        for chamber in self._chambers:
            if not chamber.admits(vessel):
                raise InvalidVessel(f"{vessel.id} does not fit lock {chamber.name}")


class WaterLedger:
    """Counts the water drawn in one day against a budget.

    A share of the budget is kept back for emergency vessels. Thread safe,
    since the locks of the flight draw on it in parallel.
    """

    def __init__(self, budget_m3: float, emergency_share: float, day: str) -> None:
        self.budget_m3 = budget_m3
        self.emergency_share = emergency_share
        self.day = day
        self.used_m3 = 0.0
        self._guard = threading.Lock()

    def available(self, *, emergency: bool = False) -> float:
        share = 1.0 if emergency else 1.0 - self.emergency_share
        return max(0.0, self.budget_m3 * share - self.used_m3)

    def draw(self, volume_m3: float, *, emergency: bool = False) -> None:
        """Book a volume, or raise and book nothing."""
        with self._guard:
            left = self.available(emergency=emergency)
            if volume_m3 > left:
                raise WaterShortage(f"{volume_m3:.0f} m3 needed, {left:.0f} m3 left today")
            self.used_m3 += volume_m3

    def give_back(self, volume_m3: float) -> None:
        """Undo a draw whose water never left the upper pound."""
        with self._guard:
            self.used_m3 = max(0.0, self.used_m3 - volume_m3)

    def roll(self, day: str) -> None:
        """Start a new day's account; a no-op within the same day."""
        with self._guard:
            if day != self.day:
                self.day = day
                self.used_m3 = 0.0

    def to_dict(self) -> dict[str, Any]:
        with self._guard:
            return {"day": self.day, "used_m3": self.used_m3}

    def load(self, data: Mapping[str, Any]) -> None:
        with self._guard:
            self.day = str(data["day"])
            self.used_m3 = float(data["used_m3"])
