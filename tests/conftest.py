"""What every test shares: how many examples hypothesis draws."""

import os

from hypothesis import settings

settings.register_profile("default", max_examples=50, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("extended", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
