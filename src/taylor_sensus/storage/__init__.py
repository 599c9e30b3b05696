"""Model files: `container` is whole or refused, `model_io` says what of a model is in it."""
