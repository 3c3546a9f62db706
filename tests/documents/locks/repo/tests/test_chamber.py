"""The state machine of a chamber, and the water ledger."""

import pytest

from canal.errors import ChamberFaulted, IllegalTransition, WaterShortage
from canal.model import Chamber, ChamberState, Side, WaterLedger


def make(name="mill", low=10000, high=12000):
    return Chamber(name, length_cm=3000, width_cm=500, sill_depth_cm=200, low_mm=low, high_mm=high)


def test_gate_opens_only_at_the_level_of_its_pound():
    chamber = make()
    with pytest.raises(IllegalTransition):
        chamber.opened(Side.HIGH)
    chamber.opened(Side.LOW)
    assert chamber.state is ChamberState.LOW_OPEN


def test_fault_blocks_until_reset_and_keeps_the_first_reason():
    chamber = make()
    chamber.fail("one")
    chamber.fail("two")
    with pytest.raises(ChamberFaulted, match="one"):
        chamber.begin_levelling()
    chamber.reset()
    assert chamber.state is ChamberState.CLOSED
    with pytest.raises(IllegalTransition):
        chamber.reset()


def test_ledger_keeps_a_share_for_emergencies():
    ledger = WaterLedger(1000.0, 0.1, "2031-05-01")
    ledger.draw(900.0)
    with pytest.raises(WaterShortage):
        ledger.draw(1.0)
    ledger.draw(100.0, emergency=True)
    ledger.roll("2031-05-01")
    assert ledger.used_m3 == 1000.0
    ledger.roll("2031-05-02")
    assert ledger.used_m3 == 0.0
