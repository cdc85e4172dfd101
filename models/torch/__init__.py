"""The transformers runtime. torch is imported behind `loaders`, not before."""
