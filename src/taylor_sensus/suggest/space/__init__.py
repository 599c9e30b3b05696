"""Settings that may be suggested; nothing here knows a model.

`constraints` reads and checks what settings have to meet, and a `domain` is what one column may be set to. Where
constraints tie columns together, `feasible_region` finds settings that meet them or proves that there are none, and
`hit_and_run` samples many. `design_space` draws whole rows, `climb` finds better ones nearby, and `candidates` come
from such a space or from a table.
"""
