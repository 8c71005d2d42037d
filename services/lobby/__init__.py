"""The lobby: accounts and their tokens, rooms that become tables, and what has been played."""
