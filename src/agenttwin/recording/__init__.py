"""Between an agent and its real tools: every call is passed on, and written down as it was answered."""

from agenttwin.recording._http import Recorder, record_http

__all__ = ["Recorder", "record_http"]
