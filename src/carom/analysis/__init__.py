"""Measures a recording as a whole: a table of figures with errors, and a report."""

from carom.analysis.measure import Analysis, Line, analyse
from carom.analysis.report import write_report

__all__ = ["Analysis", "Line", "analyse", "write_report"]
