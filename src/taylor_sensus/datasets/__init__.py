"""Tables to learn from and to be measured on.

- ``catalogue``  the public datasets, ready to use; ``sources`` (and ``sources.toml``) says what and where they are,
                 ``files`` finds or downloads and checks them, ``readers`` reads each layout, ``astronomy`` those of
                 the tables with declared errors
- ``splits``     the paper's training, validation and test rows
- ``functions``  textbook functions of engineering, with noise of known size
- ``synthetic``  the paper's 1-D and 2-D toy problems, whose truth and noise are known
- ``reactor``    a small messy table for the documentation
"""
