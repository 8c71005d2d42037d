"""Alembic's environment for every service: the connection is the one that :mod:`shared.kit.migrations` opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
