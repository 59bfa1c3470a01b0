"""What is made of it: accounting, loads, verification, summaries, and the run directory, written and read here."""
