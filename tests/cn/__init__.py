"""Tests of cn."""
