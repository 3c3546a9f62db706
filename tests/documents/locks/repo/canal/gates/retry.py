"""Bounded retries for commands that may time out."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Callable, Iterator, TypeVar

from canal.errors import GateTimeout

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class RetryPolicy:
    """How often to try, and how long to wait in between.

    ``attempts`` counts all tries, the first one included.
    """

    attempts: int = 4
    base_delay: float = 0.5
    max_delay: float = 8.0

    def delays(self) -> Iterator[float]:
        """The pauses between the tries: one fewer than there are tries."""
        delay = self.base_delay
        for _ in range(self.attempts - 1):
            yield min(delay, self.max_delay)
            delay *= 2

    def run(
        self, action: Callable[[], T], label: str, sleep: Callable[[float], None] = time.sleep
    ) -> T:
        """Call *action* until it works; only ``GateTimeout`` is retried."""
        for delay in self.delays():
            try:
                return action()
            except GateTimeout as exc:
                log.warning("%s: %s; next try in %.1f s", label, exc, delay)
                sleep(delay)
        return action()
