"""Charts of runs as SVG."""
