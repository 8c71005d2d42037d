"""The parts that services share: the rules, fairness, codecs, I/O tools and the command line."""
