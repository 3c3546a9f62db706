"""The service that ties planning, gates and storage together."""

from canal.api.service import Autosaver, CanalService, build_service

__all__ = ["Autosaver", "CanalService", "build_service"]
