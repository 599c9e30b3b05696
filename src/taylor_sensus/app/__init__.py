"""The app: choose a file, press fit, look at the report, ask "what if", download; for people who don't write Python.

    server.py     starts it on this machine only (127.0.0.1) and opens the browser
    routes.py     which address does what; views/ does it
    guard.py      who may talk to it, and how much may be sent
    workbench.py  the table, the model and the work under way
    job.py        work in the background that reports its progress and can be stopped
    chosen_table.py  the table that was chosen, and what each column seems to be
    choices.py    what was chosen in the form, as the options of the command line
    whatif.py     one row to play with: its prediction, its budget, a curve through it
    uploads.py    files that were sent, each under a name of its own
    pages/        what is shown
    static/       looks, and a little script; pages work without it

`serving.py` is another door: it puts one model behind an address for other programs (`service.py` answers,
`service_page.py` says how to ask).

Tables are read, models fitted and files written by the functions behind the command line; there is no other logic
here. Nothing is unpickled or evaluated, and no page asks for anything outside this machine.
"""
