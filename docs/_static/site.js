// What the theme leaves open for keyboards and screen readers; the pages read the same without it.
"use strict";

// What is wider than the page scrolls by itself: with the keyboard too, and with a name.
function reachable() {
  for (const region of document.querySelectorAll(".table-wrapper, div.math, pre, .output")) {
    if (region.hasAttribute("tabindex")) continue;
    if (region.scrollWidth <= region.clientWidth && region.scrollHeight <= region.clientHeight) continue;
    region.tabIndex = 0;
    region.setAttribute("role", "group");
    region.setAttribute("aria-label", region.tagName === "PRE" ? "Code" : "Wide content");
  }
}

function named() {
  for (const caption of document.querySelectorAll("[role=heading]:not([aria-level])")) caption.setAttribute("aria-level", "2");
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  for (const empty of document.querySelectorAll("th")) {
    if (empty.textContent.trim()) continue;
    const cell = document.createElement("td");
    cell.className = empty.className;
    empty.replaceWith(cell);
  }
  for (const list of document.querySelectorAll("dt dl")) { // parameters of a long signature
    const lines = document.createElement("div");
    for (const item of list.children) {
      const line = document.createElement("div");
      line.append(...item.childNodes);
      lines.append(line);
    }
    lines.className = "parameters";
    list.replaceWith(lines);
  }
}

addEventListener("DOMContentLoaded", named);
addEventListener("DOMContentLoaded", reachable);
addEventListener("load", reachable);
addEventListener("resize", reachable);
