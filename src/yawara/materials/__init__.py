"""Materials: what a body is made of, whatever its shape and however finely it is divided."""

from yawara.materials.material import PLAUSIBLE, Material
from yawara.materials.presets import PRESETS, AnyMaterial, material

__all__ = ["PLAUSIBLE", "PRESETS", "AnyMaterial", "Material", "material"]
