"""The page that every run leaves: what it looked like, what was felt, what it cost."""
