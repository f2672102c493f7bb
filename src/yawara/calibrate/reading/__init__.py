"""Measured data from files: tables of numbers, their units, and what can be wrong with them."""
