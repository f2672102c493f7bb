"""A measured silicone as a body between plates: fitted to one press to a third of the height, tried on another."""

from phantom import Press, fit_press, misses

from measured_data import measured_data
from yawara.calibrate.fit_job import Workplace


def test_a_press_is_predicted_from_another(tmp_path):
    """Series A and B of this silicone are 1.4 % apart (rms over the largest force), which no fit to A can do away with."""
    data = measured_data("phantom_compression").parent
    found = fit_press(data, "EF10_50T", tmp_path, Press(points=4), Workplace(executor="here"))
    assert not found.warnings
    missed = misses(found)
    assert missed["A1"][0] < 0.01
    assert missed["B1"][0] < 0.02
