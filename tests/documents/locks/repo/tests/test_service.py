"""The service with the simulated driver, and the command line on top."""

import dataclasses

import pytest

from canal.api import Autosaver, build_service
from canal.api.server import dispatch
from canal.cli.main import main
from canal.errors import ChamberFaulted, GateObstructed, GateTimeout
from canal.gates import SimulatedDriver
from canal.model import Direction, Priority, Vessel
from canal.settings import load_settings

CONFIG = "config/canal.toml"


@pytest.fixture
def settings(tmp_path):
    base = load_settings(CONFIG, {})
    return dataclasses.replace(base, state_file=tmp_path / "state.json")


@pytest.fixture
def driver():
    return SimulatedDriver()


@pytest.fixture
def service(settings, driver):
    return build_service(settings, driver, sleep=lambda _: None)


def boat(name, direction=Direction.UP, priority=Priority.LEISURE):
    return Vessel(name, 1200, 350, 100, direction, priority)


@pytest.mark.parametrize("workers", [1, 3])
def test_vessels_cross_in_both_directions(service, workers):
    service.submit(boat("a"))
    service.submit(boat("b", Direction.DOWN))
    assert service.run_until_idle(workers) == 6
    assert service.report() == {"passages": {"mill": 2, "orchard": 2, "summit": 2}, "left_canal": 2}


def test_timeouts_are_retried(service, driver):
    driver.inject("mill", GateTimeout("slow"), GateTimeout("slow"))
    service.submit(boat("a"))
    assert service.run_once("mill").vessel_ids == ["a"]


def test_obstruction_stops_at_once_and_keeps_the_vessel(service, driver):
    driver.inject("mill", GateObstructed("log between the leaves"))
    service.submit(boat("a"))
    with pytest.raises(GateObstructed):
        service.run_once("mill")
    assert len(driver.commands) == 1
    status = service.status()
    assert status["locks"][0]["waiting"] == ["a"]
    assert status["water"]["used_m3"] == 0
    with pytest.raises(ChamberFaulted):
        service.run_once("mill")
    service.reset("mill")
    assert service.run_until_idle() == 3


def test_reclassify(service):
    service.submit(boat("a"))
    service.submit(boat("b"))
    changed = service.reclassify("b", Priority.PASSENGER)
    assert changed.priority is Priority.PASSENGER
    assert service.status()["locks"][0]["waiting"] == ["b", "a"]


def test_state_survives_a_restart(service, settings, driver):
    service.submit(boat("a"))
    service.submit(boat("b", priority=Priority.FREIGHT))
    service.run_once("mill")
    with Autosaver(service, 60.0):
        pass
    again = build_service(settings, driver)
    assert again.status() == service.status()
    assert again.report() == service.report()


def test_http_routes(service):
    record = boat("a").to_dict()
    assert dispatch(service, "POST", "/vessels", record) == {"waits_at": "mill"}
    assert dispatch(service, "POST", "/locks/mill/run", None) == {"moved": ["a"]}
    assert dispatch(service, "DELETE", "/vessels/a", None) == record


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CANAL_STATE_FILE", str(tmp_path / "state.json"))
    base = ["--config", CONFIG]
    size = ["--length", "1200", "--beam", "350", "--draught", "100"]
    assert main(base + ["submit", "heron", "up", *size]) == 0
    assert main(base + ["submit", "heron", "up", *size]) == 2
    assert main(base + ["run"]) == 0
    assert "3 lockages" in capsys.readouterr().out
    (tmp_path / "state.json").write_text("{")
    assert main(base + ["status"]) == 5
