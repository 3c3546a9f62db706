"""The things of the canal: vessels, chambers, and the water between them."""

from canal.model.chamber import Chamber as Chamber, ChamberState as ChamberState, Side as Side
from canal.model.vessel import Direction as Direction, Priority as Priority, Vessel as Vessel
from canal.model.waterway import WaterLedger as WaterLedger, Waterway as Waterway
