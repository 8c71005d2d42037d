"""The fair shuffle `banakil/fair/v1`, pure: every byte of docs/fair.md, and no randomness, clock or key of its own.

Secrets come in from whoever drew them; nothing here draws one. Import the module that is named for what you need:
`context`, `rules_id`, `commitment`, `closed`, `transcript`, `stream`, `derive`, `signing`, `merkle`, `day`, `day_json`,
`fair_deal`, `fair_json`, `match_chain`, `verify`, `audit`.
"""
