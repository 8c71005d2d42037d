"""The wallet service: what came of every finished match, and what follows from it for its players."""
