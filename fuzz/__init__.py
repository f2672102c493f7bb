"""Files that a stranger could give us, made by chance: whatever is in them, yawara answers with a result or with a sentence.

`python -m fuzz` runs all kinds of input (`make fuzz`); `python -m fuzz scenes --seed 1 --case 17` repeats one case.
"""
