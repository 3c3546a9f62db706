"""Moving gates and water: drivers, retries, and the cycle of a lockage."""

from canal.gates.driver import CycleRunner, GateDriver, SimulatedDriver
from canal.gates.retry import RetryPolicy

__all__ = ["CycleRunner", "GateDriver", "RetryPolicy", "SimulatedDriver"]
