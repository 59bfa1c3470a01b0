"""Running scenarios: one, a sweep of many on workers, a search for the capacity, one event followed."""
