// What is wider than the page scrolls by itself: with the keyboard too, and screen readers can name it.
"use strict";

function reachable() {
  for (const region of document.querySelectorAll(".table-wrapper, div.math, pre, .output")) {
    if (region.scrollWidth <= region.clientWidth || region.hasAttribute("tabindex")) continue;
    region.tabIndex = 0;
    region.setAttribute("role", "group");
    region.setAttribute("aria-label", region.tagName === "PRE" ? "Code" : "Wide content");
  }
}

addEventListener("DOMContentLoaded", reachable);
addEventListener("resize", reachable);
