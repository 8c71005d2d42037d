"""The revisions of the shuffle service's database."""
