"""Work in a directory that may be killed at any moment and taken up again: what runs, fits, sweeps and replays have in common.

A job's request is written first and its last file when all else is there; what lies between, a checkpoint or a journal, is each kind's own.
"""
