"""Tests of `simulator.views`."""
