"""The page of a fit."""

from yawara.calibrate.report.page import fit_page

__all__ = ["fit_page"]
