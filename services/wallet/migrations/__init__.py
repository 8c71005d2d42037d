"""The revisions of the wallet service's database."""
