"""When models are loaded, swapped and unloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from models.errors import ModelMissing
from models.protocols import Cancelled, GenerationRequest
from models.roles import READING, Loading, ModelSet
from models.stopping import stoppable, stopped_by


class House:
    """Loads fakes; an hour passes with every loading."""

    def __init__(self, fake: Callable[..., Any]) -> None:
        self.now = 0.0
        self.made: list[Any] = []
        self._fake = fake

    def load(self, model_id: str) -> Any:
        self.now += 3600
        self.made.append(self._fake(model_id))
        return self.made[-1]

    @property
    def open(self) -> list[str]:
        return [model.id for model in self.made if not model.closed]


@pytest.fixture
def house(fake_generator: Callable[..., Any]) -> House:
    return House(fake_generator)


def test_both_stay_where_both_fit(house: House) -> None:
    models = ModelSet("small", "large", house.load)
    assert [models.lookahead.id, models.generator.id, models.lookahead.id] == [
        *("small", "large", "small")
    ]
    assert house.open == ["small", "large"]
    models.close()
    assert house.open == []


def test_what_does_not_fit_is_swapped_and_the_cost_shown(house: House) -> None:
    shown: list[Loading] = []
    models = ModelSet(
        *("small", "large", house.load),
        fit_together=lambda one, other: False,
        show=shown.append,
        clock=lambda: house.now,
    )
    assert models.lookahead.id == "small"
    assert models.generator.id == "large"
    assert house.open == ["large"]
    assert models.lookahead.id == "small"
    assert house.open == ["small"]
    assert shown == models.loadings
    assert shown == [
        Loading("small", 3600),
        Loading("large", 3600, "small"),
        Loading("small", 3600, "large"),
    ]


def test_idle_models_are_unloaded_and_come_back(house: House) -> None:
    models = ModelSet("small", "large", house.load, idle_seconds=600, clock=lambda: house.now)
    assert models.lookahead.id == "small"
    assert models.release_idle() == []
    assert models.generator.id == "large"  # an hour later
    assert models.release_idle() == ["small"]
    assert house.open == ["large"]
    assert not models.lookahead.closed


def test_without_a_limit_nothing_is_idle(house: House) -> None:
    models = ModelSet("small", "large", house.load, clock=lambda: house.now)
    assert models.lookahead.id == "small"
    house.now += 1e9
    assert models.release_idle() == []


def test_a_model_that_ran_out_of_memory_is_loaded_again(house: House) -> None:
    models = ModelSet("same", "same", house.load)
    models.generator.close()
    assert not models.lookahead.closed
    assert len(house.made) == 2


def test_a_run_that_is_stopped_stops_every_model_that_it_uses(house: House) -> None:
    models = ModelSet("small", "large", house.load)
    wanted = [True]
    with stoppable(lambda: not wanted[0]):
        assert list(models.lookahead.sample(GenerationRequest(("Hi",), max_tokens=1)))
        wanted[0] = False
        for model in (models.lookahead, models.generator):
            with pytest.raises(Cancelled):
                list(model.sample(GenerationRequest(("Hi",), max_tokens=1)))
    assert list(models.generator.sample(GenerationRequest(("Hi",), max_tokens=1)))


def test_a_call_is_stopped_by_its_own_reason_or_by_that_of_its_run() -> None:
    assert stopped_by(None) is None
    with stoppable(lambda: False):
        either = stopped_by(lambda: True)
        assert either is not None
        assert either()
        with stoppable(lambda: True):
            either = stopped_by(lambda: False)
            assert either is not None
            assert either()


def test_who_asks_is_told_which_model_is_used(house: House) -> None:
    models = ModelSet("small", "large", house.load)
    used: list[str] = []
    models.on_use = used.append
    _ = models.generator, models.lookahead, models.generator
    assert used == ["large", "small", "large"]


def test_what_is_asked_of_memory_says_whose_attention_is_read(house: House) -> None:
    asked: list[tuple[str, str]] = []

    def together(one: str, other: str) -> bool:
        asked.append((one, other))
        return True

    models = ModelSet(
        *("small", "large", house.load),
        load_attentive=house.load,
        load_attention=house.load,
        fit_together=together,
    )
    _ = models.attentive_lookahead
    _ = models.generator
    _ = models.attention
    assert asked == [
        (f"small{READING}", "large"),
        (f"small{READING}", f"small{READING}"),
        ("large", f"small{READING}"),
    ]


def test_a_model_loaded_to_show_its_attention_takes_the_place_of_the_other(house: House) -> None:
    models = ModelSet("small", "large", house.load, load_attentive=house.load)
    plain = models.lookahead
    attentive = models.attentive_lookahead
    assert plain.closed
    assert models.lookahead is attentive is models.attentive_lookahead
    assert [one.model_id for one in models.loadings] == ["small", "small"]
    models.forget()  # the next question may want the same
    assert models.attentive_lookahead is attentive
    models.forget()
    assert models.lookahead is not attentive
    assert attentive.closed
    assert models.attentive_lookahead is house.made[-1]
    with pytest.raises(ModelMissing, match="attention of small"):
        _ = ModelSet("small", "large", house.load).attentive_lookahead
