"""The site: settings from the environment, routes, entry points."""
