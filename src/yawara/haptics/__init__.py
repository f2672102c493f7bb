"""Forces for the hand: a loop of its own, a thousand times a second, between a haptic device and a solver that is slower.

The loop runs in a process of its own (`process`), shares memory with the solver (`board`), and asks it for one thing only: what
pushing at the present place would feel like (`coupling.ContactModel`). Nothing in here knows scenes or solvers.
"""
