"""The transformers runtime. torch is imported behind `loading`, not before."""
