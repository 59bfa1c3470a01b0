"""Tests of `simulator.scenario`."""
