"""Time integration. Schemes by name; the default is semi-implicit Euler."""

from yawara.methods import euler, implicit_euler, quasi_static, rk4, semi_implicit_euler
from yawara.methods.scheme import Scheme

SCHEMES: dict[str, Scheme] = {
    module.SCHEME.name: module.SCHEME for module in (euler, semi_implicit_euler, rk4, implicit_euler, quasi_static)
}
