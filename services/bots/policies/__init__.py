"""How bots play: each policy is a pure choice made from a seat's own view."""
