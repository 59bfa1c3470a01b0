"""The content-driven network: zones, routing, multicast, gateways and subscribers."""
