"""The parts of the panel, one per file; each is built with a `Desk` and can be refreshed with a view."""
