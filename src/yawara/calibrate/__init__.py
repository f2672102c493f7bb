"""Parameters from measurements: what was measured is read, checked, and fitted."""
