"""The smallest networks of springs and dampers that leave a residue, bounce and damp their vibration (Kimura et al. 2003, Fig. 2)."""

from collections.abc import Iterator

from yawara.laws.network import describe, minimal_networks
from yawara.studies.row import StudyRow, near

NAME, TITLE = "networks", "search for the minimal rheological elements (tables 1, 2 and Fig. 2)"


def rows() -> Iterator[StudyRow]:
    networks = minimal_networks()
    leaves = [describe(network).count("spring") + describe(network).count("damper") for network in networks]
    yield near(NAME, "elements of a minimal network", "1", 3, max(leaves), 0.0)
    yield StudyRow(NAME, f"minimal networks: {'; '.join(describe(network) for network in networks)}", "1", None, len(networks))
