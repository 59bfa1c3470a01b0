"""The report: finished runs side by side, or a sweep, as one HTML page that works offline, prints, needs no script.

It opens with what was found, in sentences (`findings`, `sweep_findings`), before tables and charts. Charts are SVG or
boxes in the page: a few hundred kilobytes, where a charting library would bring megabytes of script; they print, are
read aloud and follow the reader into dark mode. Whatever comes from a run is escaped.
"""

from simulator.views.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
