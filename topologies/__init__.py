"""IP networks: models, files and routes; knows no subscriptions."""

from topologies.errors import TopologyError
from topologies.inet import inet, inet_degrees
from topologies.routes import Routes

__all__ = ["Routes", "TopologyError", "inet", "inet_degrees"]
