"""The page that a fit leaves: what was found, how sure it is, how well it explains the measurements, and how it was found."""
