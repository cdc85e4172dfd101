"""A server in the settings: off unless named, seen wherever it is used, and never by accident."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.backend.answerer import Answerer
from app.backend.messages import Ended, Request
from app.cli import main
from app.errors import SettingWrong, UsageError
from app.local_models.fit import REPLY_TOKENS, context_for
from app.local_models.loader import model_set, runtime_for
from app.local_models.server import served_roles, server_address, where_text_goes
from app.settings.config import Config, config_path, load_config
from engine.events import Event, Noted
from engine.retrieval.memory import Memory
from models.errors import ModelMissing, RuntimeFailed
from models.roles import ModelSet
from models.server.find import servers_here
from models.store.catalogue import load_catalogue
from models.store.estimate import CONTEXT
from tests.support.toy_server import ToyServer, serving

SAMPLE = Path(__file__).parents[1] / "app" / "sample" / "data"
SMALL = "smollm2-135m-instruct-q4_1"
AWAY = '[server]\nurl = "https://gpu.example.org:8000/v1"\n'


@pytest.fixture
def settings(home: Path) -> Callable[..., Config]:
    """Write the file of settings and read it, with variables of the environment."""

    def write(text: str = "", **variables: str) -> Config:
        path = config_path(os.environ)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return load_config({**os.environ, **variables})

    return write


@pytest.fixture
def toy() -> Iterator[ToyServer]:
    says = "The lease of the boathouse ends on 31 December 2026. [1]"
    with serving(ToyServer(says=says, top={"Yes": 0.8, "The": 0.1, "Not": 0.01})) as running:
        yield running


# Where text may go


def test_without_a_server_no_text_goes_anywhere(settings: Callable[..., Config]) -> None:
    config = settings()
    assert server_address(config) is None
    assert served_roles(config, {}) == {}
    assert where_text_goes(config) is None


def test_another_machine_must_be_named_in_the_file(settings: Callable[..., Config]) -> None:
    with pytest.raises(SettingWrong, match="another machine") as caught:
        server_address(settings(AWAY))
    assert "allow_host" in caught.value.remedy
    with pytest.raises(SettingWrong, match="in the file only"):
        settings(AWAY, ASKANCE_SERVER_ALLOW_HOST="gpu.example.org")
    address = server_address(settings(f'{AWAY}allow_host = "gpu.example.org"\n'))
    assert address is not None
    assert not address.loopback


def test_a_variable_alone_sends_nothing_away(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("ASKANCE_SERVER_URL", "https://gpu.example.org")
    for command in (["config", "validate"], ["ask", "x", str(SAMPLE)], ["doctor"]):
        assert main([*command, "--json"]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["kind"] == "setting_wrong"


def test_a_password_in_an_address_is_refused_and_not_repeated(
    settings: Callable[..., Config], capsys: Any
) -> None:
    with pytest.raises(SettingWrong, match="without user, password") as caught:
        settings('[server]\nurl = "https://ann:hunter2@gpu.example.org"\n')
    assert "hunter2" not in str(caught.value)
    assert main(["config", "show", "--json"]) == 2
    assert "hunter2" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("runtime", "flags", "roles"),
    [
        ("auto", {}, {"generator": "m"}),
        ("auto", {"lookahead": "x"}, {"generator": "m"}),
        ("auto", {"generator": "x"}, {}),
        ("server", {}, {"lookahead": "m", "generator": "m"}),
        ("server", {"generator": "x"}, {"lookahead": "m", "generator": "x"}),
        ("llama", {}, {}),
        ("transformers", {}, {}),
    ],
)
def test_the_runtime_says_what_the_server_is_for(
    settings: Callable[..., Config], runtime: str, flags: Any, roles: dict[str, str]
) -> None:
    text = f'[server]\nurl = "http://127.0.0.1:1"\nmodel = "m"\n[models]\nruntime = "{runtime}"\n'
    found = served_roles(settings(text), flags)
    assert {role: at.model for role, at in found.items()} == roles
    assert all(at.address.url == "http://127.0.0.1:1" for at in found.values())


@pytest.mark.parametrize(
    ("more", "models", "urls"),
    [
        ('lookahead_model = "small"', ("small", "m"), (1, 1)),
        ('lookahead_url = "http://127.0.0.1:2"', (None, "m"), (2, 1)),
        ('lookahead_url = "http://127.0.0.1:2"\nlookahead_model = "small"', ("small", "m"), (2, 1)),
    ],
)
@pytest.mark.parametrize("runtime", ["auto", "server"])
def test_the_fast_model_may_be_at_another_server(
    settings: Callable[..., Config], runtime: str, more: str, models: Any, urls: Any
) -> None:
    text = f'[server]\nurl = "http://127.0.0.1:1"\nmodel = "m"\n{more}\n'
    config = settings(f'{text}[models]\nruntime = "{runtime}"\n')
    found = served_roles(config, {})
    assert (found["lookahead"].model, found["generator"].model) == models
    ports = tuple(f"http://127.0.0.1:{port}" for port in urls)
    assert (found["lookahead"].address.url, found["generator"].address.url) == ports
    assert ("127.0.0.1:2" in str(where_text_goes(config))) == (urls[0] == 2)


def test_the_fast_model_alone_may_be_at_a_server(settings: Callable[..., Config]) -> None:
    config = settings('[server]\nlookahead_url = "http://127.0.0.1:2"\n')
    assert [*served_roles(config, {})] == ["lookahead"]
    assert served_roles(config, {"lookahead": "x"}) == {}
    with pytest.raises(SettingWrong, match=r"server\.lookahead_url.*another machine"):
        served_roles(settings('[server]\nlookahead_url = "https://gpu.example.org"\n'), {})


def test_both_models_answer_from_their_own_servers(
    toy: ToyServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with serving(ToyServer(kind="LM Studio", loaded={"toy-7b": 4096}, top={})) as fast:
        monkeypatch.setenv("ASKANCE_SERVER_URL", toy.url)
        monkeypatch.setenv("ASKANCE_SERVER_LOOKAHEAD_URL", fast.url)
        asked = ["ask", "When does the lease of the boathouse end?", str(SAMPLE / "notes")]
        assert main([*asked, "--strategy", "fb_rag", "--json"]) in (0, 3)
        shown = json.loads(capsys.readouterr().out)
        assert [body["n"] > 1 for body in fast.bodies] == [True]  # the samples
        assert len(toy.bodies) == 1
        assert shown["models"]["lookahead"].endswith(fast.url.removeprefix("http://"))
        assert shown["models"]["generator"].endswith(toy.url.removeprefix("http://"))


def test_a_runtime_without_its_server_is_refused(settings: Callable[..., Config]) -> None:
    with pytest.raises(SettingWrong, match="no server is set"):
        server_address(settings('[models]\nruntime = "server"\n'))


def test_settings_show_and_validate(settings: Callable[..., Config], capsys: Any) -> None:
    settings('[server]\nurl = "http://127.0.0.1:8080"\ncontext = 4096\n')
    assert main(["config", "validate"]) == 0
    capsys.readouterr()
    assert main(["config", "show", "--json"]) == 0
    shown = {row["key"]: row for row in json.loads(capsys.readouterr().out)["settings"]}
    assert shown["server.url"] == {
        "key": "server.url",
        "value": "http://127.0.0.1:8080",
        "origin": "file",
    }
    defaults = {key: row["value"] for key, row in shown.items() if row["origin"] == "default"}
    assert defaults["models.runtime"] == "auto"
    assert defaults["models.idle_minutes"] == 10
    assert defaults["models.context"] is defaults["server.allow_host"] is None


# Asking


def test_a_question_is_answered_by_the_server_and_said_so(
    toy: ToyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "lease.txt").write_text(
        "About the house\n\nThe lease of the boathouse ends on 31 December 2026.\n"
    )
    monkeypatch.setenv("ASKANCE_SERVER_URL", toy.url)
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "server")
    toy.top |= {"The": 0.9}  # what it begins with is likely
    question = "When does the lease of the boathouse end?"
    assert main(["ask", question, str(tmp_path), "--json", "--explain"]) == 0
    out, err = capsys.readouterr()
    shown = json.loads(out)
    host = toy.url.removeprefix("http://")
    assert shown["models"]["generator"] == f"toy-7b@{host}"
    assert "31 December 2026" in shown["answer"]
    assert shown["tokens"]["generator"]["prompt"] > 0
    assert shown["explain"]["loadings"] == []
    assert err == f"Text goes to the server {host} on this machine.\n"


def test_a_server_shows_no_attention(toy: ToyServer, settings: Callable[..., Config]) -> None:
    models = model_set(settings(f'[server]\nurl = "{toy.url}"\n[models]\nruntime = "server"\n'))
    with pytest.raises(RuntimeFailed, match="server shows no attention"):
        _ = models.attention
    with pytest.raises(ModelMissing, match="reads the attention"):
        _ = models.attentive_lookahead
    models.close()


def test_a_server_that_is_not_there_is_said_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("ASKANCE_SERVER_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "server")
    assert main(["ask", "x", str(SAMPLE), "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["kind"], error["path"]) == ("server", None)
    assert "cannot be reached" in error["message"]


def test_doctor_names_the_server(
    toy: ToyServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("ASKANCE_SERVER_URL", toy.url)
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "server")
    assert main(["doctor"]) == 0  # no model need be here
    assert "server: nothing runs here; at the server: lookahead, generator" in (
        capsys.readouterr().out
    )
    assert main(["doctor", "--json"]) == 0
    said = doctor(capsys)
    assert said["state"] == "ok"
    assert "lookahead, generator: toy-7b@127.0.0.1" in said["detail"]
    assert "vLLM, 4096 tokens" in said["detail"]
    assert toy.bodies == []
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "llama")
    main(["doctor", "--json"])
    assert "is not used" in doctor(capsys)["detail"]
    monkeypatch.setenv("ASKANCE_SERVER_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "server")
    assert main(["doctor", "--json"]) == 1
    assert doctor(capsys)["state"] == "missing"


def test_servers_are_looked_for_when_asked(
    toy: ToyServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    port = int(toy.url.rpartition(":")[2])
    monkeypatch.setattr("models.server.find.PORTS", (9, port))
    monkeypatch.setattr(servers_here, "__defaults__", ((9, port),))
    assert main(["doctor", "--servers", "--json"]) == 0
    said = doctor(capsys)
    assert f"vLLM at {toy.url}: toy-7b, 4,096 tokens" in said["detail"]
    assert f'url = "{toy.url}"' in said["remedy"]
    assert toy.bodies == []
    monkeypatch.setattr(servers_here, "__defaults__", ((9,),))
    assert main(["doctor", "--servers"]) == 0
    assert "no model server answers" in capsys.readouterr().out


def doctor(capsys: Any) -> dict[str, str]:
    checks = json.loads(capsys.readouterr().out)["checks"]
    [server] = [check for check in checks if check["name"] == "server"]
    return dict(server)


PROGRAM = """
import sys, app.main
sys.argv = ["askance", *{arguments!r}]
code = app.main.run()
print([name for name in sys.modules if name == "httpx2" or name.startswith("models.server.")],
      file=sys.stderr)
"""
NO_NETWORK = "['models.server.address']"
"""The form of an address, which the settings are checked with."""


def modules_after(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(arguments=arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stderr.splitlines()[-1]


def test_without_a_server_nothing_that_speaks_to_one_is_imported(home: Path) -> None:
    assert modules_after("doctor", cwd=home) == NO_NETWORK
    assert modules_after("search", "lease", str(SAMPLE), cwd=home) == NO_NETWORK
    assert modules_after("ask", "lease", str(SAMPLE), cwd=home) == NO_NETWORK


@pytest.mark.slow
def test_a_whole_question_imports_nothing_that_speaks_to_a_server(home: Path) -> None:
    if not (Path(os.environ["ASKANCE_MODELS_DIR"]) / SMALL).is_dir():
        pytest.skip(f"the model {SMALL} is not there; `make test` fetches it")
    events = str(SAMPLE / "calendars")
    question = ("ask", "Where do I meet Dana Okafor about the lease?", events)
    models = ("--lookahead", SMALL, "--generator", SMALL, "--effort", "quick")
    assert modules_after(*question, *models, cwd=home) == NO_NETWORK


# Models of this machine


@pytest.mark.parametrize(
    ("setting", "asked", "tokens"),
    [
        ("", None, CONTEXT),
        ("", 3000, 3000 + REPLY_TOKENS),
        ("", 30_000, 30_000 + REPLY_TOKENS),
        ("[models]\ncontext = 2048\n", None, 2048),
        ("[models]\ncontext = 2048\n", 30_000, 2048),
    ],
)
def test_the_context_that_models_are_loaded_with(
    settings: Callable[..., Config], setting: str, asked: int | None, tokens: int
) -> None:
    assert context_for(settings(setting), asked) == tokens


@pytest.mark.parametrize(
    ("runtime", "gguf", "safetensors"),
    [("auto", "llama", "transformers"), ("transformers",) * 3, ("llama", "llama", None)],
)
def test_a_runtime_for_each_format(
    settings: Callable[..., Config], runtime: str, gguf: str, safetensors: str | None
) -> None:
    config = settings(f'[models]\nruntime = "{runtime}"\n')
    catalogue = load_catalogue()
    assert runtime_for(catalogue.row(SMALL), config) == gguf
    encoder = catalogue.row("all-minilm-l6-v2")
    if safetensors:
        assert runtime_for(encoder, config) == safetensors
    else:
        with pytest.raises(UsageError, match=r"llama\.cpp runs GGUF files"):
            runtime_for(encoder, config)


class FakeEncoder:
    id = "e"
    closed = False

    def close(self) -> None:
        self.closed = True


def test_an_encoder_is_loaded_when_it_is_first_used_and_goes_with_the_rest() -> None:
    made: list[FakeEncoder] = []

    def load(model_id: str) -> Any:
        made.append(FakeEncoder())
        return made[-1]

    nobody: Any = None
    with pytest.raises(ModelMissing, match="needs an encoder"):
        _ = ModelSet("s", "l", nobody).encoder
    with pytest.raises(ModelMissing, match="needs a sparse encoder"):
        _ = ModelSet("s", "l", nobody).sparse_encoder
    models = ModelSet(
        *("s", "l", nobody),
        encoder="e",
        load_encoder=load,
        sparse_encoder="w",
        load_sparse_encoder=load,
    )
    assert made == []
    assert models.encoder is models.encoder is made[0]
    assert models.sparse_encoder is models.sparse_encoder is made[1]
    models.forget()
    models.close()
    assert made[0].closed
    assert made[1].closed


def test_the_screen_unloads_what_is_idle_but_not_during_a_question(
    fake_generator: Callable[..., Any],
) -> None:
    now = [0.0]
    model = fake_generator("m", ["x"])
    models = ModelSet("m", "m", lambda _id: model, idle_seconds=600, clock=lambda: now[0])
    closed_meanwhile: list[bool] = []

    def answers(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        assert models.generator.id == "m"
        now[0] = 1e9
        time.sleep(0.05)
        closed_meanwhile.append(model.closed)
        yield Noted("answered")

    engine = Answerer(lambda request, show: models, answers, Memory(1), idle_check=0.01)
    ended = threading.Event()
    engine.listen(lambda reply: ended.set() if isinstance(reply, Ended) else None)
    engine.send(Request(1, "?"))
    assert ended.wait(60)
    while not model.closed:
        time.sleep(0.01)
    engine.close()
    assert closed_meanwhile == [False]
