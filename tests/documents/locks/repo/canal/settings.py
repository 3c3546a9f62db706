"""Settings: built-in defaults, then the TOML file, then the environment.

A later source overrides an earlier one. Settings are read once, at start;
nothing re-reads them while the program runs.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Mapping

from canal.errors import ConfigError

DEFAULT_CONFIG = "config/canal.toml"


@dataclass(frozen=True)
class LockSpec:
    """Fixed dimensions of one lock."""

    name: str
    length_cm: int
    width_cm: int
    sill_depth_cm: int
    low_mm: int
    high_mm: int

    def __post_init__(self) -> None:
        if self.high_mm <= self.low_mm:
            raise ConfigError(f"lock {self.name}: high_mm must exceed low_mm")


@dataclass(frozen=True)
class Settings:
    state_file: Path = Path("canal-state.json")
    autosave_seconds: float = 15.0
    level_tolerance_mm: int = 20
    gate_attempts: int = 4
    gate_base_delay: float = 0.5
    gate_max_delay: float = 8.0
    daily_budget_m3: float = 9000.0
    emergency_share: float = 0.10
    http_port: int = 8471
    locks: tuple[LockSpec, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if self.gate_attempts < 1:
            raise ConfigError("gates.attempts must be at least 1")
        if self.autosave_seconds <= 0:
            raise ConfigError("control.autosave_seconds must be positive")
        if not 0.0 <= self.emergency_share < 1.0:
            raise ConfigError("water.emergency_share must be in [0, 1)")
        for below, above in zip(self.locks, self.locks[1:]):
            # One pound lies between two neighbours, so they share its level.
            if below.high_mm != above.low_mm:
                raise ConfigError(f"the pound between {below.name} and {above.name} has two levels")


# (section, key) in the file -> attribute, converter
_FILE_KEYS: dict[tuple[str, str], tuple[str, Callable[[Any], Any]]] = {
    ("control", "state_file"): ("state_file", Path),
    ("control", "autosave_seconds"): ("autosave_seconds", float),
    ("control", "level_tolerance_mm"): ("level_tolerance_mm", int),
    ("gates", "attempts"): ("gate_attempts", int),
    ("gates", "base_delay_seconds"): ("gate_base_delay", float),
    ("gates", "max_delay_seconds"): ("gate_max_delay", float),
    ("water", "daily_budget_m3"): ("daily_budget_m3", float),
    ("water", "emergency_share"): ("emergency_share", float),
    ("http", "port"): ("http_port", int),
}

_ENV_KEYS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "CANAL_STATE_FILE": ("state_file", Path),
    "CANAL_AUTOSAVE_SECONDS": ("autosave_seconds", float),
    "CANAL_GATE_ATTEMPTS": ("gate_attempts", int),
    "CANAL_WATER_BUDGET_M3": ("daily_budget_m3", float),
    "CANAL_HTTP_PORT": ("http_port", int),
}


def load_settings(
    path: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings; ``CANAL_CONFIG`` names the file unless *path* does."""
    env = os.environ if environ is None else environ
    source = Path(path or env.get("CANAL_CONFIG") or DEFAULT_CONFIG)
    try:
        document = tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"cannot read {source}: {exc}") from exc
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"{source}: {exc}") from exc
    settings = _from_document(document, str(source))
    return _apply_environment(settings, env)


def _from_document(document: Mapping[str, Any], source: str) -> Settings:
    values: dict[str, Any] = {}
    for section, body in document.items():
        if section == "locks":
            continue
        for key, raw in body.items():
            try:
                attribute, convert = _FILE_KEYS[(section, key)]
            except KeyError:
                raise ConfigError(f"{source}: unknown setting {section}.{key}") from None
            values[attribute] = _convert(convert, raw, f"{section}.{key}")
    try:
        locks = tuple(LockSpec(**entry) for entry in document.get("locks", []))
    except TypeError as exc:
        raise ConfigError(f"{source}: bad [[locks]] table: {exc}") from exc
    if not locks:
        raise ConfigError(f"{source}: no locks are defined")
    return Settings(locks=locks, **values)


def _apply_environment(settings: Settings, env: Mapping[str, str]) -> Settings:
    changes = {}
    for name, (attribute, convert) in _ENV_KEYS.items():
        raw = env.get(name, "").strip()
        if raw:
            changes[attribute] = _convert(convert, raw, name)
    return replace(settings, **changes) if changes else settings


def _convert(convert: Callable[[Any], Any], raw: Any, label: str) -> Any:
    try:
        return convert(raw)
    except (TypeError, ValueError) as exc:
        raise ConfigError(f"{label}: bad value {raw!r}") from exc
