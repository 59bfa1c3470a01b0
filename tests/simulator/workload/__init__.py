"""Tests of `simulator.workload`."""
