"""Clusters with certificates: tasks, and reads of cells, go over connections that they secure."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

distributed = pytest.importorskip("distributed")
connection = pytest.importorskip("weft.cluster.connection")


def self_signed(folder: Path) -> Any:
    """Security by a certificate that vouches for itself."""
    key, certificate = str(folder / "key.pem"), str(folder / "certificate.pem")
    kind = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *kind, "-keyout", key, "-out", certificate], check=True, stderr=-3)
    ends = {f"tls_{who}_{what}": at for who in ("client", "scheduler", "worker") for what, at in
            (("key", key), ("cert", certificate))}  # fmt: skip
    return distributed.Security(tls_ca_file=certificate, require_encryption=True, **ends)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates")
def test_reads_of_cells_and_tasks_are_encrypted(tmp_path: Path) -> None:
    x = np.arange(600.0 * 500).reshape(600, 500)
    np.save(tmp_path / "x.npy", x)
    security = self_signed(tmp_path)
    given: Any = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(security=security, protocol="tls", **given) as cluster,
            distributed.Client(cluster, security=security, set_as_default=False) as client,
        ):
            with weft.cluster.connect(client) as connection:
                y = (weft.open(tmp_path / "x.npy") * 2).realize()
                assert np.array_equal(y[::7, ::3].numpy(), x[::7, ::3] * 2)
                (giver,) = connection.bytes_received()
            assert giver.startswith("tls://") and cluster.scheduler_address.startswith("tls://")
            with (
                pytest.raises(weft.errors.ClusterError, match=r"tls://.*cannot be connected to.*with its certificates"),
                weft.cluster.connect(cluster.scheduler_address, deadline=1.0),
            ):
                pass
            plain = cluster.scheduler_address.replace("tls://", "tcp://")
            with (
                pytest.raises(weft.errors.ClusterError, match=r"cluster: .*tcp://"),
                weft.cluster.connect(plain, deadline=1.0),
            ):
                pass


def test_who_greets_as_no_scheduler_does_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def greeted(*address: Any, **given: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(connection, "Client", type("Client", (), {"__new__": greeted}))
    with (
        pytest.raises(weft.errors.ClusterError, match=r"'tcp://here:1' cannot be connected to: it greets as no"),
        weft.cluster.connect("tcp://here:1"),
    ):
        pass
