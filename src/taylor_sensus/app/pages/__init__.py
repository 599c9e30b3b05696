"""What is shown: each page as a function of what it shows. All texts are escaped by `taylor_sensus.report.html`."""

from taylor_sensus.app.pages.columns import columns_page
from taylor_sensus.app.pages.model import model_page
from taylor_sensus.app.pages.predictions import predictions_page
from taylor_sensus.app.pages.simple import problem_page, start_page, working_page
from taylor_sensus.app.pages.suggestions import suggestions_page
from taylor_sensus.app.pages.whatif import view_of, whatif_page

__all__ = [
    "columns_page",
    "model_page",
    "predictions_page",
    "problem_page",
    "start_page",
    "suggestions_page",
    "view_of",
    "whatif_page",
    "working_page",
]
