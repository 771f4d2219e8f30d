"""One URL, three readers: SQLAlchemy, psycopg and psycopg2 must reach the same server, whatever its path holds."""

import psycopg2.extensions
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.engine import make_url

from scatter_pipelines.store.database import libpq_url

HOSTS = ["/tmp/plain", "/tmp/new comer/it's +50% & more/ünï"]


@pytest.mark.parametrize("host", HOSTS)
def test_libpq_reads_the_host_that_sqlalchemy_was_given(host: str) -> None:
    url = make_url("postgresql+psycopg://me:p%40ss w@/db").update_query_dict({"host": host, "port": "5433"})
    for read in (conninfo_to_dict, psycopg2.extensions.parse_dsn):
        known = read(libpq_url(url))
        assert (known["host"], known["dbname"], known["user"], known["password"]) == (host, "db", "me", "p@ss w")


def test_a_url_with_a_host_of_its_own_stays_as_it_is() -> None:
    assert libpq_url(make_url("postgresql+psycopg://u:p@h:5432/d")) == "postgresql://u:p@h:5432/d"
