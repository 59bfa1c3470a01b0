"""`python -m simulator.cli` is the command `rangecast`."""

from simulator.cli.entry import main

main()
