"""The size of a network."""

from typing import NamedTuple, Self


class Size(NamedTuple):
    """How large a network is: units of a layer, residual blocks.

    >>> str(Size.parse("256x2"))
    '256x2'
    """

    width: int
    blocks: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        :raises ValueError: it is no size.
        """
        width, cross, blocks = text.partition("x")
        if not (cross and width.isdecimal() and blocks.isdecimal() and int(width) >= 8):
            raise ValueError(f"a size is WIDTHxBLOCKS, like 256x2, not {text!r}")
        return cls(int(width), int(blocks))

    def __str__(self) -> str:
        return f"{self.width}x{self.blocks}"
