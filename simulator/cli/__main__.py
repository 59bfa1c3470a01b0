"""`python -m simulator.cli` is the command `rangecast`."""

from simulator.cli.main import main

main()
