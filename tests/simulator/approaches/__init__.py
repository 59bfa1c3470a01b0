"""Tests of `simulator.approaches`."""
