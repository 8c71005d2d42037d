"""`python -m shared.cli`: the same as `banakil`."""

from shared.cli.main import app

if __name__ == "__main__":
    app()
