"""Results for people and machines: subjects make reports, renderers write them."""

from roget.report.report import Cell, Column, Report, Table

__all__ = ["Cell", "Column", "Report", "Table"]
