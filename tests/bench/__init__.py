"""Benchmarks, and what makes their inputs."""
