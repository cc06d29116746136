"""What every test shares: how many examples hypothesis draws, and that what was compiled is kept."""

import os
import sys

from hypothesis import settings

settings.register_profile("default", max_examples=50, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("extended", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Hundreds of tests start the command or an agent's process. Each would compile the whole product again where
# Python is told to write no bytecode, and each pytest worker would rewrite every test again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
