import pytest

from canal.errors import WaterShortage
from canal.model import Chamber, Direction, Priority, Vessel, WaterLedger
from canal.planning import PassageQueue, plan_next

UP, DOWN = Direction.UP, Direction.DOWN


@pytest.fixture
def chamber():
    return Chamber(
        "mill", length_cm=3000, width_cm=500, sill_depth_cm=200, low_mm=10000, high_mm=12000
    )


def ledger(budget=10000.0):
    return WaterLedger(budget, 0.1, "2031-05-01")


def filled(*vessels):
    queue = PassageQueue()
    for vessel in vessels:
        queue.submit(vessel)
    return queue


def boat(name, direction=UP, length=1200, priority=Priority.LEISURE):
    return Vessel(name, length, 350, 100, direction, priority)


def test_packs_same_direction_with_a_gap(chamber):
    queue = filled(boat("a", length=1500), boat("b", DOWN), boat("c", length=1400))
    lockage = plan_next(queue, chamber, ledger())
    assert lockage.vessel_ids == ["a", "c"]
    assert [v.id for v in queue.pending()] == ["b"]


def test_free_direction_goes_first_when_water_is_short(chamber):
    chamber.level_mm = chamber.high_mm
    queue = filled(boat("a", UP), boat("b", DOWN))
    lockage = plan_next(queue, chamber, ledger(budget=50.0))
    assert lockage.vessel_ids == ["b"]
    assert lockage.volume_m3 == 0


def test_emergency_draws_on_the_share(chamber):
    water = ledger(budget=320.0)  # 300 needed, 288 for everyone
    queue = filled(boat("a"))
    with pytest.raises(WaterShortage):
        plan_next(queue, chamber, water)
    queue.submit(boat("b", priority=Priority.EMERGENCY))
    assert plan_next(queue, chamber, water).vessel_ids == ["b", "a"]
