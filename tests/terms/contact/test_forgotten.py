"""What edges and faces remember of a tool ends with the contact, whichever scheme runs."""

import pytest

from helpers import term
from yawara.live.live import Live
from yawara.live.messages import Choose, Move
from yawara.live.presets import preset_scene
from yawara.terms.contact.internal import KEY, SLOTS_OF_NODE


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_edges_and_faces_forget_a_tool_that_is_gone_at_once(integrator):
    """A scheme that asks for forces several times per step, and keeps what it found in one of them only, must forget all the same."""
    scene = preset_scene("gel", (4, 4, 3))
    how = {"time": {"end": 1.0, "integrator": integrator}, "contact": {"method": "time_integrated"}}
    live = Live(scene.model_validate({**scene.model_dump(exclude_none=True), **how}))
    first = SLOTS_OF_NODE * len(term(live.compiled, "contact").surface.node)
    live.carry_out(Choose("plate"))
    live.carry_out(Move((0.02, 0.01, 0.08)))
    for _ in range(600):
        live.tick()
        if live.state.blocks["contact.internal"][first:, KEY].any():
            break
    assert live.state.blocks["contact.internal"][first:, KEY].any()  # the plate's rim is between the nodes
    live.carry_out(Choose(None))  # away
    for _ in range(2):
        assert live.tick() is not None
    assert not live.state.blocks["contact.internal"][first:, KEY].any()
    live.close()
