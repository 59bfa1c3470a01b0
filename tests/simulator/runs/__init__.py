"""Tests of `simulator.runs`."""
