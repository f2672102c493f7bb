"""Materials: what a body is made of, whatever its shape and however finely it is divided."""

from yawara.materials.energy import Hencky, NeoHookean, Ogden, Yeoh
from yawara.materials.material import PLAUSIBLE, Material
from yawara.materials.memory import PronyTerm
from yawara.materials.presets import PRESETS, AnyMaterial, material

__all__ = ["PLAUSIBLE", "PRESETS", "AnyMaterial", "Hencky", "Material", "NeoHookean", "Ogden", "PronyTerm", "Yeoh", "material"]
