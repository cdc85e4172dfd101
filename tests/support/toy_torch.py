"""Networks with random weights, small enough to make on the spot, as transformers saves them."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    Gemma2Config,
    Gemma2ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

CHATML = """\
{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
MERGES = [("t", "h"), ("th", "e"), ("i", "n"), ("a", "n"), ("Ġ", "the"), ("o", "n")]
CAUSAL: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "eos_token_id": 2,
    "bos_token_id": 1,
    "initializer_range": 0.3,  # or every token is about as likely, and rounding decides
}
"""Shape of the causal toys."""
TYPES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "llama": (LlamaConfig, LlamaForCausalLM, {}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {}),
    "mistral": (MistralConfig, MistralForCausalLM, {}),
    "gemma2": (
        Gemma2Config,
        Gemma2ForCausalLM,
        {"head_dim": 16, "sliding_window": 24, "tie_word_embeddings": False},
    ),
}


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """Return a byte-level BPE tokenizer that knows a few words and ChatML."""
    vocabulary = {text: i for i, text in enumerate(CONTROL)}
    for text in [*sorted(pre_tokenizers.ByteLevel.alphabet()), *("".join(m) for m in MERGES)]:
        vocabulary.setdefault(text, len(vocabulary))
    backend = Tokenizer(models.BPE(vocabulary, MERGES))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(text, special=True) for text in CONTROL])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        chat_template=CHATML,
    )


def causal(folder: Path, kind: str = "llama", **changed: Any) -> Path:
    """Write a causal model; return its weights' file."""
    tokenizer = byte_tokenizer()
    tokenizer.save_pretrained(folder)
    config, network, more = TYPES[kind]
    torch.manual_seed(7)
    shape = {"vocab_size": len(tokenizer), **CAUSAL, **more, **changed}
    network(config(**shape)).save_pretrained(folder)
    return folder / "model.safetensors"


def word_tokenizer() -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer that knows letters and a few words."""
    letters = [*string.ascii_lowercase, *(f"##{c}" for c in string.ascii_lowercase)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ann", "met", "bob", "in", "oslo", "who", "?"]
    vocabulary = {text: i for i, text in enumerate([*words, *letters])}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    backend.add_special_tokens([AddedToken(text, special=True) for text in words[:4]])
    backend.enable_truncation(8)  # as some folders do; the runtime must not cut in silence
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
    )


def encoder(folder: Path, kind: str = "bert", pooling: str | None = None) -> Path:
    """Write an encoder of 64 tokens; return its weights' file."""
    tokenizer = word_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    network: Any
    if kind in ("bert", "masked words"):
        shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
        shape |= {"intermediate_size": 48, "max_position_embeddings": 64}
        config = BertConfig(vocab_size=len(tokenizer), initializer_range=0.3, **shape)
        network = BertModel(config) if kind == "bert" else BertForMaskedLM(config)
    else:
        shape = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}
        shape["max_position_embeddings"] = 64
        network = DistilBertModel(
            DistilBertConfig(vocab_size=len(tokenizer), initializer_range=0.3, **shape)
        )
    network.save_pretrained(folder)
    if pooling is not None:
        said = {"word_embedding_dimension": 32, f"pooling_mode_{pooling}": True}
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))
    return folder / "model.safetensors"
