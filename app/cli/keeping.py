"""The commands that take a copy of everything, and put one back."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from app.cli.backup import Home, make_backup
from app.cli.restore import Restored, read_manifest, restore_backup
from app.config import Settings


def register(cli: typer.Typer, load: Callable[[], Settings]) -> None:
    """Add `backup` and `restore`."""

    @cli.command()
    def backup(
        to: Annotated[Path | None, typer.Option(help="The file to write; it must not exist yet.")] = None,
        with_secrets: Annotated[
            bool, typer.Option("--with-secrets", help="Also .env and the secrets of MCP servers: guard it well.")
        ] = False,
    ) -> None:
        """Write one archive with everything that is kept, while the service runs or not."""
        home = _home_of(load())
        os.umask(0o077)
        made = asyncio.run(make_backup(home, to, with_secrets=with_secrets))
        size = sum(entry.size for entry in made.manifest.files.values())
        print(f"{made.path}: {len(made.manifest.files)} files, {size / 1024 / 1024:.1f} MB before packing")
        for name in made.skipped:
            print(f"left out, no regular file: {name}")

    @cli.command()
    def restore(
        file: Annotated[Path, typer.Argument(help="An archive made by `backup`.")],
        yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    ) -> None:
        """Put a backup in place of what is there, which is kept aside. Stop the service first."""
        home = _home_of(load())
        os.umask(0o077)
        manifest = read_manifest(file)
        question = (
            f"Replace what is in {home.data_dir} with {len(manifest.files)} files"
            f" of {manifest.created_at:%Y-%m-%d %H:%M} UTC? What is there now is kept aside."
        )
        if not yes and not typer.confirm(question):
            raise typer.Exit(1)
        _tell(asyncio.run(restore_backup(home, file)))


def _tell(restored: Restored) -> None:
    print(f"restored: {len(restored.manifest.files)} files of {restored.manifest.created_at:%Y-%m-%d %H:%M} UTC")
    for folder in restored.aside:
        print(f"what was there before is in {folder}; delete it when everything works")
    if restored.still_forgotten:
        print(f"{restored.still_forgotten} people who asked to be forgotten will be removed at the next start")


def _home_of(settings: Settings) -> Home:
    return Home(settings.data_dir, settings.database_file, servers=settings.mcp_config_file)
