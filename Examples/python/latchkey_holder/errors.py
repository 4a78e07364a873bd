"""How a command ends other than well."""


class Failure(Exception):
    """Ends the program with an exit code of docs/cli.md and one line."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
