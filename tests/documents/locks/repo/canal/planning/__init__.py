"""Who goes next, and in which direction."""

from canal.planning.queue import PassageQueue, Ticket
from canal.planning.scheduler import Lockage, fills_needed, plan_next

__all__ = ["Lockage", "PassageQueue", "Ticket", "fills_needed", "plan_next"]
