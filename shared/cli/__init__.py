"""The `banakil` command."""
