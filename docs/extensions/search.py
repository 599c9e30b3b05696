"""The site's search knows the sign ±, which scientists look for and word lists leave out."""

from __future__ import annotations

from typing import Any

from sphinx.search.en import SearchEnglish

SIGN = "±"


class SearchWithSign(SearchEnglish):
    """English, and the sign as a word of its own."""

    js_splitter_code = (
        "function splitQuery(query) {\n"
        f'  return query.replaceAll("{SIGN}", " {SIGN} ").split(/[^\\p{{Letter}}\\p{{Number}}_{SIGN}]+/gu)'
        ".filter(word => word);\n}\n"
    )

    def split(self, input: str) -> list[str]:
        """Words as before, and the sign once."""
        return [*super().split(input), *([SIGN] if SIGN in input else [])]

    def word_filter(self, word: str) -> bool:
        """Whether a word is kept."""
        return word == SIGN or super().word_filter(word)


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_search_language(SearchWithSign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
