from .build import build_report, write_report

__all__ = ["build_report", "write_report"]
