"""python -m app, and the command `wasap`."""

import gc
from importlib import import_module


def main() -> None:
    """Load the command line and run it.

    That makes hundreds of thousands of objects and no garbage: to look for some was a fifth of a start.
    """
    gc.disable()
    command = import_module("app.cli.main")
    gc.freeze()
    gc.enable()
    command.main()


if __name__ == "__main__":
    main()
