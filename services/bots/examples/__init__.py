"""Bots as others would write them: with the generated stubs and gRPC, and nothing else of this project."""
