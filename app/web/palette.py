"""The colours that all our pages share."""

from pathlib import Path
from typing import Final

PALETTE: Final = Path(__file__).parent / "palette.css"
