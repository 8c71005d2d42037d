"""The tools that every service shares for talking to the world: RPC, tokens, SQL, NATS, time, logs.

The kit knows no rules of the game and no service. Each module is named for the one thing it holds.
"""
