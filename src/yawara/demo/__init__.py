"""The demonstration: three blocks (`blocks.py`), their report (`report.py`), and both made (`make.py`)."""
