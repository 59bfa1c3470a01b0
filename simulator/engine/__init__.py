"""What happens to messages: the engines `tally` and `des`, journeys, deliveries, and faults on the way."""
