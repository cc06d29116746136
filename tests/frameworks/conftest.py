"""Each file here runs in an environment of its own, made by `make test-frameworks`; elsewhere none is read."""

import os

RUNNING = os.environ.get("AGENTTWIN_FRAMEWORK", "").replace("-", "_")

collect_ignore_glob = [] if RUNNING else ["test_*.py"]
