"""Between the domain and the wire: the only place, besides servicers, that knows proto types.

Reading is strict: what the wire brings is either a value of the domain or a typed error (`errors`).
"""
