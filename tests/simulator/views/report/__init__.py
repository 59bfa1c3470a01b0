"""Tests of `simulator.views.report`."""
