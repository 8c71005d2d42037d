"""A cluster of three processes of the table service that the tests here share."""

from collections.abc import AsyncIterator

import grpc
import pytest

from tests.support.postgres import PostgresServer
from tests.support.table_cluster import TableCluster, table_cluster


@pytest.fixture(scope="session")
async def shared_cluster(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[TableCluster]:
    async with table_cluster(tmp_path_factory.mktemp("cluster"), postgres, pace=4) as cluster:
        yield cluster


@pytest.fixture
async def cluster(shared_cluster: TableCluster) -> TableCluster:
    """All its processes at work, whatever the test before did to them."""
    await shared_cluster.start_all()
    return shared_cluster


@pytest.fixture
async def channel(cluster: TableCluster) -> AsyncIterator[grpc.aio.Channel]:
    async with cluster.channel() as channel:
        yield channel
