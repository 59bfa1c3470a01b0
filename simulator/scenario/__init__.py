"""Scenarios as a user writes them: tables, rules, loading, mistakes, schema, grids."""

from simulator.scenario.grid import Grid, load_grid
from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario

__all__ = ["Grid", "Scenario", "ScenarioError", "load_grid", "load_scenario", "scenario_toml"]
