"""Place indexes: the k best subscriptions by weight and distance (seed 001)."""

from matching.places.place_index import PlaceIndex
from matching.places.place_scan import PlaceScan
from matching.places.ri_tree import RITree
from matching.places.rt_tree import RtTree
from matching.places.threshold_places import ThresholdPlaces

__all__ = ["PlaceIndex", "PlaceScan", "RITree", "RtTree", "ThresholdPlaces"]
