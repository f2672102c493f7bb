"""Parameters of one-dimensional laws from measured curves: creep, relaxation, recovery, press and release."""
