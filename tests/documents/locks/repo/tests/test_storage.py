import pytest

from canal.errors import SnapshotError
from canal.settings import load_settings
from canal.storage import SnapshotStore
from canal.storage.snapshot import migrate

CONFIG = "config/canal.toml"


@pytest.fixture
def store(tmp_path):
    return SnapshotStore(tmp_path / "state.json")


def test_round_trip(store):
    assert store.load() is None
    store.save({"chambers": {}, "n": 1})
    assert store.load() == {"chambers": {}, "n": 1}


@pytest.mark.parametrize(
    "old, new, message",
    [('"n": 1', '"n": 7', "checksum"), ('"version": 3', '"version": 4', "version")],
)
def test_unusable_files_are_refused(store, old, new, message):
    store.save({"n": 1})
    store.path.write_text(store.path.read_text().replace(old, new))
    with pytest.raises(SnapshotError, match=message):
        store.load()


def test_migration_from_version_1():
    old = {
        "chambers": {"mill": {"level_cm": 1000, "state": "closed"}},
        "vessels": [{"id": "a", "waits_at": "mill"}],
        "water": {"day": "2031-05-01", "used_m3": 1.0},
    }
    new = migrate(old, 1)
    assert new["chambers"]["mill"]["level_mm"] == 10000
    assert new["queues"] == {"mill": [{"id": "a"}]}
    assert new["history"] == []
    assert "vessels" in old  # the argument stays as it was


def test_environment_wins_over_the_file():
    settings = load_settings(CONFIG, {"CANAL_GATE_ATTEMPTS": "7"})
    assert settings.gate_attempts == 7
    assert [spec.name for spec in settings.locks] == ["mill", "orchard", "summit"]
