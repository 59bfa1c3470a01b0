"""The command that makes the paper's tables and figures."""

from pathlib import Path
from typing import Annotated

import typer

from simulator.cli.app import app
from simulator.cli.options import SimulationMaster, print_lines, print_table

__all__ = ["paper"]


@app.command()
def paper(
    name: Annotated[
        str,
        typer.Argument(help="table1 to table6, fig11 to fig17, cuts, sketch, theorem3, or all.", show_default=False),
    ],
    scale: Annotated[str, typer.Option(help="small, or paper for the paper's sizes.")] = "small",
    out: Annotated[Path, typer.Option(help="Directory to make results in; continued if it exists.")] = Path("paper"),
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time (default: one per core).", show_default=False)
    ] = None,
    master: SimulationMaster = None,
    reproduction: Annotated[
        Path | None, typer.Option(help="Markdown file to write on all that is in OUT.", show_default=False)
    ] = None,
) -> None:
    """Make a table or figure of the paper's evaluation, and judge what the paper claims of it."""
    from simulator.paper.make import make_paper, summary_table, verdict_table
    from simulator.paper.reproduction import write_reproduction
    from simulator.views.output import check_out
    from simulator.views.progress import sweep_progress

    if reproduction is not None:
        check_out(reproduction, (".md",), "--reproduction")
    made = make_paper(name, scale=scale, out=out, processes=processes, master=master, progress=sweep_progress)
    print_table(summary_table(made) if len(made) > 1 else verdict_table(made[0]))
    failed = dict.fromkeys(f"FAILED   {line}" for one in made for line in one.failures)
    told = "every claim, its rule and outcome in verdicts.csv"
    print_lines([*failed, *(f"results  {one.directory}: {told}" for one in made)])
    if reproduction is not None:
        write_reproduction(out, reproduction)
    if any(one.failures for one in made):
        raise typer.Exit(1)
