"""People, tables and sockets."""
