"""Tests of `simulator.paper`."""
