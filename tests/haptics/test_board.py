"""Shared memory: nothing torn, nothing left over, nothing said on the way out."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from waiting import PATIENCE
from yawara.haptics.board import Board
from yawara.shared import PREFIX, remove_leftovers

SHARED = Path("/dev/shm")
needs_listing = pytest.mark.skipif(not SHARED.is_dir(), reason="shared memory cannot be listed here")


def write_for_ever(name):
    board = Board.join(name)
    count = 0.0
    while True:
        count += 1.0
        for field in ("tick", "time", "place", "force", "stiffness", "damping"):
            board.contact[field] = count
        board.contact.publish()


def spawned(target, *arguments):
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def test_what_is_published_is_fetched_once():
    with Board.open(stiffness=700.0) as board, Board.join(board.name) as other:
        assert other.orders.fetch()
        assert other.orders.value("stiffness") == 700.0
        np.testing.assert_array_equal(other.orders["turn"], np.eye(3))
        assert not other.orders.fetch()
        assert not other.contact.fetch()
        board.contact["place"] = (1.0, 2.0, 3.0)
        board.contact["stiffness"] = np.arange(9.0).reshape(3, 3)
        board.contact.publish()
        assert other.contact.fetch()
        np.testing.assert_array_equal(other.contact["place"], [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(other.contact["stiffness"], np.arange(9.0).reshape(3, 3))


def test_blocks_do_not_share_numbers():
    with Board.open() as board, Board.join(board.name) as other:
        names = ("contact", "proxy", "report", "orders")
        for value, name in enumerate(names, start=1):
            block = getattr(board, name)
            for field in block._fields:
                block[field] = value
            block.publish()
        for value, name in enumerate(names, start=1):
            block = getattr(other, name)
            assert block.fetch()
            assert all((block[field] == value).all() for field in block._fields)


def test_a_reader_gets_no_mixture_while_another_process_writes_and_dies():
    with Board.open() as board:
        process = spawned(write_for_ever, board.name)
        try:
            end, seen, last = time.monotonic() + PATIENCE, 0, 0.0
            while not board.contact.fetch() and time.monotonic() < end:
                time.sleep(0.01)
            while seen < 2000 and time.monotonic() < end:
                if board.contact.fetch():
                    values = {field: board.contact[field] for field in ("tick", "time", "place", "force", "stiffness", "damping")}
                    numbers = np.concatenate([value.ravel() for value in values.values()])
                    assert (numbers == numbers[0]).all()
                    assert numbers[0] > last
                    last, seen = numbers[0], seen + 1
            assert seen == 2000
        finally:
            process.kill()
            process.join()
        # killed perhaps in the middle of writing: nobody hangs, and a new writer is read again
        board.contact.fetch()
        with Board.join(board.name) as other:
            other.contact["tick"] = -5.0
            other.contact.publish()
        assert board.contact.fetch()
        assert board.contact.value("tick") == -5.0
        assert not SHARED.is_dir() or (SHARED / board.name).exists()  # still the parent's
    assert not (SHARED / board.name).exists()


def test_a_writer_that_died_in_the_middle_leaves_the_last_numbers():
    with Board.open() as board, Board.join(board.name) as other:
        board.contact["tick"] = 1.0
        board.contact.publish()
        assert other.contact.fetch()
        board.contact._counter[0] += 1  # writing
        board.contact._shared[:] = 9.0
        assert not other.contact.fetch()  # and does not hang
        assert other.contact.value("tick") == 1.0


def test_numbers_of_two_publications_are_not_taken_though_the_counter_is_even():
    """As they can be seen where stores are not seen in the order in which they were made."""
    with Board.open() as board, Board.join(board.name) as other:
        board.contact["force"], board.contact["place"] = 1.0, 1.0
        board.contact.publish()
        assert other.contact.fetch()
        first = board.contact._shared.copy()
        board.contact["force"], board.contact["place"] = 2.0, 2.0
        board.contact.publish()
        second, counter = board.contact._shared.copy(), board.contact._counter.copy()
        for seen in range(1, len(first)):
            board.contact._shared[:] = np.where(np.arange(len(first)) < seen, second, first)
            if not np.array_equal(board.contact._shared, second):
                assert not other.contact.fetch()
            assert (other.contact["force"] == 1.0).all()
        board.contact._shared[:], board.contact._counter[0] = second, counter[0] + 2  # the counter is seen before the checksum
        assert not other.contact.fetch()
        board.contact._counter[:] = counter
        assert other.contact.fetch()
        assert (other.contact["force"] == 2.0).all()


def test_closing_twice_is_allowed():
    board = Board.open()
    board.close()
    board.close()


PROGRAM = """
import os, sys, signal
from yawara.haptics.board import Board
if sys.argv[1] == "parent":
    board = Board.open()
    print(board.name, flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
else:
    board = Board.join(sys.argv[2])
    print(board.orders.fetch())
"""


def program(*arguments):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@needs_listing
def test_who_forgets_to_close_leaves_nothing_and_says_nothing():
    done = program("parent", "ended")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (SHARED / done.stdout.strip()).exists()


@needs_listing
def test_a_stranger_that_attached_does_not_remove_it():
    with Board.open() as board:
        done = program("child", board.name)
        assert (done.stdout, done.stderr) == ("True\n", "")
        assert (SHARED / board.name).exists()


@needs_listing
def test_what_a_killed_parent_left_is_removed_by_the_next():
    orphan = SHARED / f"{PREFIX}-{_dead_process()}-abcd"
    orphan.write_bytes(b"\0" * 64)
    with Board.open() as board:
        assert not orphan.exists()
        assert remove_leftovers() == []
        assert (SHARED / board.name).exists()


def _dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, signal.SIGCONT)
    return process.pid
