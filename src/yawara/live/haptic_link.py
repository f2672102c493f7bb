"""Between the solver and the loop of a haptic device: where the hand wants the tool, and what the body answers there."""

from yawara.clock import REAL, Clock
from yawara.frame import Frame
from yawara.haptics.board import Board
from yawara.live.live import Live
from yawara.live.messages import Move, Order
from yawara.live.plain_orders import FARTHEST

STALE = 0.05  # [s]: a hand that has not been heard of for longer does not move the tool


class HapticLink:
    def __init__(self, board_name: str, clock: Clock = REAL) -> None:
        self._clock = clock
        self._board = Board.join(board_name)

    def order(self) -> Order | None:
        """Where the tool should go in the next tick."""
        proxy = self._board.proxy
        proxy.fetch()
        if self._clock.now() - proxy.value("time") > STALE or proxy.value("fresh") == 0.0:
            return None
        x, y, z = proxy["proxy"].tolist()
        return Move((x, y, z), at_once=True) if max(abs(x), abs(y), abs(z)) <= FARTHEST else None

    def answer(self, live: Live, frame: Frame | None) -> None:
        """Publish what the hand feels near its place, so that the loop can go on between our ticks."""
        contact = self._board.contact
        contact["tick"], contact["time"] = live.ticks, self._clock.now()
        contact["touching"] = float(frame is not None and live.touches(frame))
        contact["place"], contact["force"], contact["stiffness"] = live.hand_model()
        contact.publish()

    def close(self) -> None:
        self._board.close()
