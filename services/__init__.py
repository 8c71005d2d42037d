"""The services of a Banakil server, one package each."""
