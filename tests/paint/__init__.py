"""Tests of paint."""
