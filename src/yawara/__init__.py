"""Yawara."""
