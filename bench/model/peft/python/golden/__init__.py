"""Golden values: what transformers, PEFT, torch and trl answer for small random models."""
