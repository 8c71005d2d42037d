"""What tests of every kind share: builders, needs, servers for one run."""
