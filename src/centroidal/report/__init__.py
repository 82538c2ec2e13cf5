"""The report: one HTML file that says what was found, how sure it is, and what to mind."""

from .build import build_report, write_report

__all__ = ["build_report", "write_report"]
