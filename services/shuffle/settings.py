"""Settings of the shuffle service."""

from pathlib import Path

from pydantic import Field

from shared.kit.settings import Settings


class ShuffleSettings(Settings, service="shuffle"):
    """`BANAKIL_SHUFFLE_...`"""

    custody: Path | None = Field(
        None, description="folder with seal/<number>.key and sign/<number>.jwk; by default shuffle/ in that of the keys"
    )

    def custody_folder(self) -> Path:
        """Where the keys lie that seal secrets and sign for the service."""
        return self.keys / "shuffle" if self.custody is None else self.custody
