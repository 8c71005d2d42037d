"""The table authority: live tables, their rules, turns, clocks, seats, views and journal."""
