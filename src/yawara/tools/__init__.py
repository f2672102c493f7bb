"""Rigid tools: their shapes, and where they are."""
