"""What is read off a run while it goes on."""
