"""python -m app."""

from app.cli.main import main

if __name__ == "__main__":
    main()
