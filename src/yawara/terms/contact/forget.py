"""Contacts that have ended."""

from yawara.kernels.jit import inner
from yawara.terms.contact.internal import SLOTS_OF_NODE
from yawara.terms.contact.response import forget


@inner
def forget_nodes(first_node, last_node, internal, seen, remembers):
    """Release what nodes remember of contacts that have ended; sets which nodes still remember some."""
    for n in range(first_node, last_node):
        own = n - first_node
        if remembers[own]:
            forget(internal, SLOTS_OF_NODE * n, SLOTS_OF_NODE, seen[own])
        remembers[own] = seen[own] != 0
