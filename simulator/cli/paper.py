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
        typer.Argument(
            help="table1 to table8, fig11 to fig17, fig26, cuts, sketch, theorem3, theorem8, or all for these; of "
            "the papers on matching 000-table2, 000-fig6 to -fig9, 001-fig5 to -fig11, 002-fig7, 002-fig8, 004-fig7 "
            "to -fig9, or matching for these.",
            show_default=False,
        ),
    ],
    scale: Annotated[str, typer.Option(help="small, or paper for the paper's sizes.")] = "small",
    out: Annotated[Path, typer.Option(help="Directory to make results in; continued if it exists.")] = Path("paper"),
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time (default: one per core).", show_default=False)
    ] = None,
    master: SimulationMaster = None,
    reproduction: Annotated[
        Path | None,
        typer.Option(
            help="Markdown file to write on all of the paper, or of those on matching, that is in OUT.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a table or figure of the paper's evaluation, or of a paper on matching, and judge what it claims."""
    from simulator.paper.exhibits import MATCHING
    from simulator.paper.make import make_paper, summary_table, verdict_table
    from simulator.paper.matching_reproduction import write_matching_reproduction
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
        write = write_matching_reproduction if made[0].view.name in MATCHING else write_reproduction
        write(out, reproduction)
    if any(one.failures for one in made):
        raise typer.Exit(1)
