"""Tests of every room."""
