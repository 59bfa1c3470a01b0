"""What tests and notebooks share: a JVM that compiles quickly instead of well, wherever one of them starts it.

A run of a few seconds in a process of its own takes half the processor time so. What pytest starts inherits it.
"""

import os

os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
