"""A report is one HTML file that needs nothing else: pictures and plots are drawn into it as SVG, in light and dark."""
