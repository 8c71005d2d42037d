"""``banakil version``."""

from importlib.metadata import version


def version_command() -> None:
    """Print the installed version."""
    print(version("banakil"))
