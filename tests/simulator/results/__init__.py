"""Tests of `simulator.results`."""
