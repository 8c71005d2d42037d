"""House bots: they take vacant seats and play them, as an ordinary client of the public gRPC API."""
