"""Tests of rangecast, the door."""
