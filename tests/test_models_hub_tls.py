"""A server whose certificate nobody vouches for gets no second question, and no token."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from models.download import hub_child
from models.download.hub_child import HubChild
from models.errors import PullFailed

REPO, COMMIT = "ada/toy-GGUF", "c" * 40


def self_signed(folder: Path) -> Path:
    """Write a key and a certificate for localhost that signs itself."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(pem)
    )
    return path


class Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_HEAD(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        for name, value in {
            "X-Repo-Commit": COMMIT,
            "ETag": '"abc"',
            "Content-Length": "3",
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The certificate of a hub that runs on loopback meanwhile."""
    Handler.asked = []
    path = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"https://localhost:{server.server_address[1]}")
    monkeypatch.setattr(hub_child, "PAUSE_SECONDS", 0.01)
    yield path
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_certificate_that_cannot_be_trusted_is_final(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with (
        HubChild(REPO, COMMIT, "x") as child,
        pytest.raises(PullFailed, match="certificate that cannot be trusted") as caught,
    ):
        child.ask(tmp_path / "x.part", resume=False)
    assert "SSL_CERT_FILE" in caught.value.remedy
    assert Handler.asked == []


def test_a_certificate_that_the_person_vouches_for_is_trusted(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with HubChild(REPO, COMMIT, "x") as child:
        announced = child.ask(tmp_path / "x.part", resume=False)
    assert (announced.size, announced.sha256, announced.commit) == (3, "", COMMIT)
