"""Trains the reading adapter of the answer model: LoRA over its own weights, on a CPU.

    train_adapter.py OUT.gguf [--minutes 32] [--further] [--model ID] [--rank 8] [--first-layer 8]

`tests/bench/reading/*.jsonl` holds what it learns from: worlds of about ten passages that were
written for this, none of them from a data set or a person, each with nine questions. The adapter
that ships has seen no others. `--further` adds `more/`, questions over the same worlds in words far
from their passages, and `further/`, worlds for questions in steps, near misses, chats and tables:
with them it read no better (docs/results.md). A step
shows two worlds: some of the passages in any order, in the form of `engine.prompts`, and behind
them each question of the world on its own, with its answer or, where the passages shown do not
state one, "unanswerable". Questions over the same passages share their computing: each sees the
passages and itself. Every tenth world is held out, and its loss is printed at the end. A GGUF model
is unpacked to bfloat16 for this (8.5 GB of memory); the adapter is for llama.cpp, in float16.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import re
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import gguf
import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.generation.reply import _today, form_asked
from engine.prompts.templates import fill, section
from models.store.catalogue import load_catalogue
from models.store.store import Store

WORLDS = Path(__file__).with_name("reading")
NONE = "unanswerable"
HELD_OUT = 7
"""The last digit of the numbers of worlds that are held out."""
PARTS = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
"""The matrices that are adapted: transformers' names and llama.cpp's."""
PASSAGE_TOKENS = (350, 450, 600)
"""Of one example; the first reading of `auto` has at most 600."""
SEQUENCE_TOKENS = 1500
DATA_SET_SHARE = 0.15
"""Examples in the form of the data sets' prompts."""
IGNORED = -100
OWN_HEADER = re.compile(r"(?:Subject|From|Event|Task|Name):")


class Adapted(nn.Module):
    """A linear layer with a low-rank addition: W x + (alpha / r) B A x (LoRA, section 4.1)."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        added = (x @ self.a.to(x.dtype).T) @ self.b.to(x.dtype).T
        return self.base(x) + added * ALPHA_PER_RANK


ALPHA_PER_RANK = 2.0


@dataclass(frozen=True)
class Example:
    """Questions over the same passages, in one row of tokens."""

    tokens: torch.Tensor
    positions: torch.Tensor
    wanted: torch.Tensor
    """The token itself where it belongs to an answer, else `IGNORED`."""
    question: torch.Tensor
    """Which question a token belongs to; 0: the passages."""

    def mask(self) -> torch.Tensor:
        """Let a token see the passages and its own question up to itself."""
        size = len(self.question)
        earlier = torch.ones(size, size, dtype=torch.bool).tril()
        seen = (self.question[None] == 0) | (self.question[None] == self.question[:, None])
        hidden = torch.finfo(torch.bfloat16).min
        mask = torch.zeros(1, 1, size, size, dtype=torch.bfloat16)
        return mask.masked_fill(~(earlier & seen), hidden)


def worlds(*, held_out: bool, further: bool) -> list[dict[str, Any]]:
    found = _lines(WORLDS)
    if further:
        more = {one["world"]: one["questions"] for one in _lines(WORLDS / "more")}
        found = [one | {"questions": one["questions"] + more[one["world"]]} for one in found]
        found += _lines(WORLDS / "further")
    return [w for w in found if (int(w["world"][1:]) % 10 == HELD_OUT) is held_out]


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.open()]


def answer_of(asked: dict[str, Any], form: str) -> str:
    """Return what the model is to write."""
    answer = asked["a"]
    if answer is None:
        return NONE
    if asked["kind"] == "yesno":
        why = asked.get("why", "").strip().rstrip(".") if form == "verdict" else ""
        return f"{answer}. {why[0].upper()}{why[1:]}." if why else f"{answer}."
    if len(parts := asked.get("parts", [])) == 2:
        return f"{answer} ({parts[0]} and {parts[1]})"
    return str(answer).strip()


class Examples:
    """Makes examples of worlds."""

    def __init__(self, tokenizer: Any, draw: random.Random) -> None:
        self.tokenizer = tokenizer
        self.draw = draw

    def ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer(text, add_special_tokens=False).input_ids
        return found

    def of(self, world: dict[str, Any], room: int) -> Example:
        shown, asked = self.chosen(world, room)
        data_set = self.draw.random() < DATA_SET_SHARE
        before, behind = self.prompt(shown, data_set=data_set)
        tokens = self.ids(before)
        begun = len(tokens)
        positions, wanted, question = list(range(begun)), [IGNORED] * begun, [0] * begun
        day = date.fromisoformat(world["today"].split()[-1])
        for number, one in enumerate(asked, start=1):
            form = form_asked(one["q"])
            how = section("question", form).strip()
            today = _today(one["q"], day)
            text = behind.replace("{question}", one["q"])
            text = text.replace("{today}", today).replace("{how}", how)
            prompt = self.ids(text)
            reply = self.ids(answer_of(one, "" if data_set else form) + "<|im_end|>")
            size = len(prompt) + len(reply)
            if len(tokens) + size > SEQUENCE_TOKENS:
                break
            tokens += prompt + reply
            positions += range(begun, begun + size)
            wanted += [IGNORED] * len(prompt) + reply
            question += [number] * size
        rows = (torch.tensor(row) for row in (tokens, positions, wanted, question))
        return Example(*rows)

    def chosen(self, world: dict[str, Any], room: int) -> tuple[list[str], list[dict[str, Any]]]:
        """Return passages within `room` tokens, and the questions with what they answer of them."""
        texts = {passage["id"]: passage["text"] for passage in world["passages"]}
        questions = list(world["questions"])
        self.draw.shuffle(questions)
        order = [name for asked in questions[:3] for name in asked["gold"]]
        others = list(texts)
        self.draw.shuffle(others)
        picked: list[str] = []
        for name in dict.fromkeys(order + others):
            size = len(self.ids(texts[name]))
            if size <= room or not picked:
                picked.append(name)
                room -= size
        self.draw.shuffle(picked)
        shown = [texts[name] for name in picked]
        asked = []
        withheld = False
        for one in questions:
            here = [name in picked for name in one["gold"]]
            if one["a"] is None:
                if any(here) or self.draw.random() < 0.5:
                    asked.append(one)
            elif all(here):
                asked.append(one)
            elif not any(here) and not withheld and _only_there(one, shown):
                withheld = True
                asked.append(one | {"a": None})
        return shown, asked

    def prompt(self, shown: list[str], *, data_set: bool) -> tuple[str, str]:
        """Return what stands before the questions and behind them, as the model reads it."""
        if data_set:
            passages = "\n\n".join(f"Passage {i}:\n{text}" for i, text in enumerate(shown, 1))
            turns, _ = fill("multihop", "answer", passages=passages, question="{question}")
        else:
            fence = hashlib.sha256("\0".join(shown).encode()).hexdigest()[:6]
            blocks = (
                f"[{i}] {self.heading(text)}<{fence}>\n{text}\n</{fence}>"
                for i, text in enumerate(shown, 1)
            )
            passages = "Passages:\n\n" + "\n\n".join(blocks)
            fields = {"question": "{question}", "today": "{today}", "how": "{how}"}
            turns, _ = fill("question", "answer", passages=passages, **fields)
        chat = [{"role": turn.role, "content": turn.content} for turn in turns]
        text = self.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        before, question, behind = text.partition("Question: {question}")
        return before, question + behind

    def heading(self, text: str) -> str:
        """Return a line about the item as `engine.prompts` writes it; its title is made up."""
        first = text.lstrip().splitlines()[0]
        if OWN_HEADER.match(first):
            return ""
        if first.startswith("Chat:"):
            when = re.search(r"\w{3} \d{4}-\d\d-\d\d", text)
            return f'Chat "{first[5:].strip()}"' + (f" {when[0]} " if when else " ")
        if self.draw.random() < 0.25:
            return "Document "
        title = " ".join(re.findall(r"[\w'-]+", first)[: self.draw.choice((2, 3, 4, 5))])
        when = ""
        if self.draw.random() < 0.5:
            day = date(self.draw.randint(2023, 2026), self.draw.randint(1, 12), 15)
            when = f"{day:%a %Y-%m-%d} "
        return f'Document "{title}" {when}'


def _only_there(asked: dict[str, Any], shown: list[str]) -> bool:
    """Say whether what answers a question is not among the passages shown."""
    if asked["kind"] in ("yesno", "two", "corrected"):
        return False
    text = " ".join(shown).lower()
    return not any(one.lower() in text for one in (asked["a"], *asked.get("alts", ())) if one)


def adapted(model: Any, rank: int, first: int) -> dict[tuple[int, str], Adapted]:
    """Freeze the model and add what is trained to its layers from `first` on."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    made = {}
    for number, layer in enumerate(model.model.layers):
        for block in (layer.self_attn, layer.mlp):
            for name in PARTS:
                if number >= first and hasattr(block, name):
                    made[number, name] = Adapted(getattr(block, name), rank)
                    setattr(block, name, made[number, name])
    return made


def loss_of(model: Any, example: Example) -> torch.Tensor:
    """Return the mean over questions of their answers' losses; long ones weigh a little more."""
    hidden = model.model(
        input_ids=example.tokens[None],
        position_ids=example.positions[None],
        attention_mask=example.mask(),
        use_cache=False,
    ).last_hidden_state[0]
    at = (example.wanted[1:] != IGNORED).nonzero()[:, 0]
    logits = model.lm_head(hidden[at]).float()
    losses = nn.functional.cross_entropy(logits, example.wanted[1:][at], reduction="none")
    question = example.question[1:][at]
    each = [losses[question == one] for one in question.unique()]
    return torch.stack([one.sum() / math.sqrt(len(one)) for one in each]).mean()


def save(made: dict[tuple[int, str], Adapted], path: Path, rank: int) -> None:
    file = gguf.GGUFWriter(path, "qwen2")
    file.add_type("adapter")
    file.add_string("adapter.type", "lora")
    file.add_float32("adapter.lora.alpha", ALPHA_PER_RANK * rank)
    for (layer, name), added in made.items():
        for part, values in (("a", added.a), ("b", added.b)):
            numbers = values.detach().to(torch.float16).numpy()
            file.add_tensor(f"blk.{layer}.{PARTS[name]}.weight.lora_{part}", numbers)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def loaded(model_id: str) -> tuple[Any, Any]:
    """Return a catalogue model, its weights unpacked, and its tokenizer."""
    path = Store.default(os.environ).open(load_catalogue().row(model_id))
    packed = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.bfloat16
    )
    config, weights = packed.config, packed.state_dict()
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.load_state_dict(weights, assign=True)
    model.tie_weights()
    model.model.rotary_emb = type(model.model.rotary_emb)(config=config)
    return model, AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)


def train(model: Any, examples: Examples, given: argparse.Namespace) -> None:
    """Change what is trained, two worlds a step, until the minutes are over."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=given.rate, betas=(0.9, 0.99), weight_decay=0.01)
    began, step, queue = time.monotonic(), 0, list[dict[str, Any]]()
    model.train()
    while (spent := (time.monotonic() - began) / (60 * given.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = given.rate * min(1, (step + 1) / 8) * max(0.05, 1 - spent)
        optimiser.zero_grad()
        losses = []
        for _ in range(2):
            if not queue:
                queue = worlds(held_out=False, further=given.further)
                examples.draw.shuffle(queue)
            example = examples.of(queue.pop(), examples.draw.choice(PASSAGE_TOKENS))
            if bool((example.wanted != IGNORED).any()):
                loss = loss_of(model, example)
                (loss / 2).backward()
                losses.append(loss.item())
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step += 1
        print(f"step {step}: loss {sum(losses) / max(1, len(losses)):.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=32.0)
    parser.add_argument("--further", action="store_true", help="with more/ and further/")
    parser.add_argument("--model", default=load_catalogue().default("generator").id)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--first-layer", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    model, tokenizer = loaded(given.model)
    made = adapted(model, given.rank, given.first_layer)
    examples = Examples(tokenizer, random.Random(given.seed))
    train(model, examples, given)
    save(made, given.out, given.rank)
    model.eval()
    kept = worlds(held_out=True, further=given.further)
    with torch.no_grad():
        left = [loss_of(model, examples.of(one, 500)).item() for one in kept]
    print(f"held out: loss {sum(left) / len(left):.3f} over {len(left)} worlds")


if __name__ == "__main__":
    main()
