"""The shapes of the lobby's database, oldest first."""
