"""The table service as its own process."""

from services.table.app import bind
from services.table.settings import TableSettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(TableSettings, bind)
