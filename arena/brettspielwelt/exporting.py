"""Imported games for training."""
