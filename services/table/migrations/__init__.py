"""The shapes of the table service's database, oldest first."""
