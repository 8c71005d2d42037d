"""The deterministic simulator: whole series through the real code, in a world that can be run again to the byte."""
