"""Policies against each other: the same cards twice with the teams exchanged, and what came of it."""
