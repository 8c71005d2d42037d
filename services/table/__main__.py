"""The table service as its own process."""

from services.table.app import bind
from services.table.settings import TableSettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-table`, and `python -m services.table`."""
    main(TableSettings, bind)


if __name__ == "__main__":
    run()
