"""Light as in a kitchen by the window: one warm side, one cool, and a bright ceiling."""

import viser

CEILING, TABLE_TOP = (255, 250, 242), (150, 132, 116)
WINDOW, ROOM = (255, 240, 220), (205, 220, 255)


def light(scene: viser.SceneApi, *, plain: bool) -> None:
    """`plain` leaves out all that a machine without a graphics processor cannot draw fast: shadows and mirrored surroundings."""
    scene.configure_default_lights(enabled=False, cast_shadow=False)
    scene.configure_environment_map(hdri=None if plain else "apartment", environment_intensity=0.25)
    scene.add_light_hemisphere("/light/ceiling", sky_color=CEILING, ground_color=TABLE_TOP, intensity=1.9)
    scene.add_light_directional("/light/window", color=WINDOW, intensity=2.6, position=(-4.0, -2.5, 6.0), cast_shadow=not plain)
    scene.add_light_directional("/light/room", color=ROOM, intensity=0.6, position=(5.0, -3.0, 2.0))
