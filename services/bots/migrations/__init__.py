"""The shapes of the bots service's database, oldest first."""
