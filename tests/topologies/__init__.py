"""Tests of topologies."""
