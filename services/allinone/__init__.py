"""Every service in one process, with a real nats-server as its child and a database file for each service."""
