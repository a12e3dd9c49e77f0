"""One sentence that says what it does."""

__all__ = ["greet"]


def greet(name: str) -> str:
    """A greeting for ``name``."""
    return f"Hello, {name}."
