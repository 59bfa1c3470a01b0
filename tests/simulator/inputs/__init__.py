"""Tests of `simulator.inputs`."""
