"""`python -m taylor_sensus` is the command `taylor-sensus`."""

from taylor_sensus.cli import main

if __name__ == "__main__":
    main()
