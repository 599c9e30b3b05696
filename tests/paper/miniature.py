"""What the tests of studies in miniature share."""

from __future__ import annotations

from typer.testing import CliRunner

from paper.engine.commands import app


def command(*arguments: object) -> str:
    """What a command says, run in this process: starting one costs more than most studies in miniature."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output
