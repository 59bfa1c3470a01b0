"""Scenarios, approaches, engines, verification, runs and the command line."""
