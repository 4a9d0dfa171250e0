"""One number for every action of a round."""
