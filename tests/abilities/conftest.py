"""The tests of each ability lie in a folder of its name, and go with it."""

from pathlib import Path
from typing import Final

from tests.rooms import ability_names

_FOLDERS: Final = {folder.name for folder in Path(__file__).parent.iterdir() if folder.is_dir()}
collect_ignore: Final = sorted(_FOLDERS - ability_names())
