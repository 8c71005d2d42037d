"""The shuffle service: custody of every deal's secret, committed to before the deal and revealed after it."""
