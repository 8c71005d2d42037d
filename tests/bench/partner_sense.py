"""What is thrown that the partner could have used: `python -m tests.bench.partner_sense strong greedy --deals 1000`.

The policies sit 0 and 1, 2 and 3: the first named with the third, and so on, again from the front.
"""

import argparse

from services.bots.policies.registry import POLICIES, policy_named
from shared.rules.options import PRESETS, preset_options
from tests.support.partner_sense import thrown_away

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("policies", nargs="+", choices=POLICIES)
parser.add_argument("--deals", type=int, default=1_000)
parser.add_argument("--seed", type=int, default=1)

if __name__ == "__main__":
    args = parser.parse_args()
    seats = [policy_named(args.policies[seat % len(args.policies)]) for seat in range(4)]
    for preset in PRESETS:
        thrown, wasted = thrown_away(preset_options(preset), seats, args.deals, args.seed)
        print(f"{preset}: {thrown} cards thrown, {wasted} that the partner could use while another was harmless")
