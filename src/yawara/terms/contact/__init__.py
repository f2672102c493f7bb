"""What bodies that touch do to each other; so far, where they are closest."""
