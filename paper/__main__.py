"""`python -m paper`."""

from paper.engine.commands import main

if __name__ == "__main__":  # worker processes import this file under another name
    main()
