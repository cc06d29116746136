"""`python -m agenttwin.cli`."""

from agenttwin.cli import main

main()
