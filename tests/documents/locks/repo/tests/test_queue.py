import pytest

from canal.errors import QueueEmpty
from canal.model import Direction, Priority, Vessel
from canal.planning import PassageQueue


def boat(name, priority=Priority.LEISURE):
    return Vessel(name, 1200, 350, 100, Direction.UP, priority)


def drain(queue):
    names = []
    while len(queue):
        names.append(queue.pop().vessel.id)
    return names


def test_priority_then_arrival():
    queue = PassageQueue()
    queue.submit(boat("a"))
    queue.submit(boat("b", Priority.FREIGHT))
    queue.submit(boat("c"))
    queue.submit(boat("d", Priority.EMERGENCY))
    assert [v.id for v in queue.pending()] == ["d", "b", "a", "c"]
    assert drain(queue) == ["d", "b", "a", "c"]


def test_cancelled_vessel_is_skipped():
    queue = PassageQueue()
    for name in "abc":
        queue.submit(boat(name))
    queue.cancel("a")
    assert "a" not in queue and len(queue) == 2
    assert drain(queue) == ["b", "c"]
    with pytest.raises(QueueEmpty):
        queue.pop()
