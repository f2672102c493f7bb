"""A short run of random models with tools: energies add up, or the run says that they do not."""

from fuzz import balances


def test_random_models_keep_their_books_or_say_so(capsys):
    assert balances.main(["--seed", "12", "--count", "40"]) == 0, capsys.readouterr().out


def test_implicit_steps_with_contacts_end_well_or_stop_with_a_status(capsys):
    assert balances.main(["--seed", "2", "--count", "25", "--implicit"]) == 0, capsys.readouterr().out


def test_a_run_that_hides_a_gap_is_seen(monkeypatch, capsys):
    monkeypatch.setattr(balances, "balance_error", lambda history: 0.5)
    assert balances.main(["--seed", "12", "--count", "2"]) == 1
    assert "BAD" in capsys.readouterr().out
