"""What went wrong, where, and what to do about it: exceptions and problems with stable codes."""
