"""Tests of `simulator.engine`."""
