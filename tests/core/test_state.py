"""The state is a set of named blocks, each with its unit."""

from helpers import LAWS, compiled_body
from yawara.core.state import OWN_BLOCKS


def test_every_block_says_what_it_is():
    compiled = compiled_body("truss", LAWS["three_element"])
    assert set(compiled.state.blocks) == (set(OWN_BLOCKS) - {"push"}) | set(compiled.model.variables)  # which methods bring
    assert all(variable.unit for variable in compiled.model.variables.values())
