// The pages work without this script: it saves waiting and reloading. Texts from the server are put in as the
// server escaped them; nothing is evaluated.
"use strict";

function say(form, words) {
  const box = form.querySelector(".problem") || document.createElement("p");
  box.className = "problem";
  box.setAttribute("role", "alert");
  box.textContent = words;
  form.prepend(box);
}

function refuseLargeFiles() {
  for (const form of document.querySelectorAll("form[data-limit]")) {
    form.addEventListener("submit", (event) => {
      const limit = Number(form.dataset.limit);
      const size = [...form.querySelectorAll("input[type=file]")]
        .flatMap((input) => [...input.files])
        .reduce((sum, file) => sum + file.size, 0);
      if (size > limit) {
        event.preventDefault();
        const megabytes = (bytes) => Math.ceil(bytes / 1e6).toLocaleString("en");
        say(form, `This file has ${megabytes(size)} MB; up to ${megabytes(limit)} MB can be sent. Leave out columns or ` +
          "rows that are not needed, or use the command line: taylor-sensus fit takes any size.");
      }
    });
  }
}

async function followProgress() {
  const bar = document.getElementById("progress");
  if (!bar) return;
  const words = document.getElementById("doing");
  for (;;) {
    await new Promise((go) => setTimeout(go, 400));
    let now;
    try {
      now = await (await fetch("/progress")).json();
    } catch {
      words.textContent = "The app does not answer any more; was it stopped in the terminal?";
      return;
    }
    if (!now.running) {
      location.replace("/working");
      return;
    }
    if (now.share > 0) bar.value = now.share;
    else bar.removeAttribute("value");
    if (words.textContent !== now.words) words.textContent = now.words; // a screen reader tells changes only
    const share = now.share > 0 ? `${Math.round(100 * now.share)} %, ` : "";
    document.getElementById("clock").textContent = share + now.clock;
  }
}

function turnKnobs() {
  const form = document.getElementById("what-if");
  if (!form) return;
  const view = document.getElementById("view");
  document.getElementById("update").hidden = true;
  let busy = false;
  let again = false;
  async function update() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    view.classList.add("late");
    do {
      again = false;
      try {
        const answer = await fetch("/view", { method: "POST", body: new URLSearchParams(new FormData(form)) });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!again) view.replaceChildren(...page.body.childNodes);
      } catch {
        view.textContent = "The app does not answer any more; was it stopped in the terminal?";
      }
    } while (again);
    busy = false;
    view.classList.remove("late");
  }
  form.addEventListener("input", (event) => {
    const changed = event.target;
    if (changed.type === "range") {
      document.getElementById(changed.dataset.for).value = changed.value;
      document.getElementById("along").value = changed.name.slice("slider-".length);
    } else if (changed.name.startsWith("value-")) {
      const slider = form.elements[changed.name.replace("value-", "slider-")];
      if (slider && changed.value !== "") slider.value = changed.value;
      document.getElementById("along").value = changed.name.slice("value-".length);
    }
    update();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
}

// The report as high as it is, so that the page has one scroll bar. Nothing can run inside the frame.
function fitReport() {
  const frame = document.querySelector("iframe.report");
  if (!frame) return;
  const fit = () => {
    const inside = frame.contentDocument;
    if (!inside || !inside.body) return;
    frame.style.height = "0";
    frame.style.height = `${inside.documentElement.scrollHeight + 2}px`;
    for (const link of inside.querySelectorAll('a[href^="#"]')) {
      link.onclick = (event) => {
        event.preventDefault();
        const there = inside.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
        if (there) scrollTo({ top: frame.getBoundingClientRect().top + scrollY + there.offsetTop, behavior: "smooth" });
      };
    }
    for (const fold of inside.querySelectorAll("details")) fold.ontoggle = fit;
  };
  frame.addEventListener("load", fit);
  addEventListener("resize", fit);
  fit();
}

refuseLargeFiles();
fitReport();
followProgress();
turnKnobs();
