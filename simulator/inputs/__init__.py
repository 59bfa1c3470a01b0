"""A scenario made into arrays: population, objects, topology, routes, overlay, events, planned faults, plugins."""
