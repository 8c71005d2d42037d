"""The one error of the fair shuffle."""


class FairnessError(ValueError):
    """A value that cannot be part of a fair deal, or a check that failed.

    `what` is a stable name: the field (`seats[2].h`) or the check (`commitment`); `detail` is for people.
    """

    def __init__(self, what: str, detail: str) -> None:
        super().__init__(f"{what}: {detail}")
        self.what = what
        self.detail = detail
