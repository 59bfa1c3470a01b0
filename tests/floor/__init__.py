"""Tests of the floor under all rooms."""
