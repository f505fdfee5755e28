"use strict";
// Without this script the page loads itself anew every 15 seconds. With it only
// what has changed is replaced: what is open stays open, what is hidden hidden.
const every = 3000;

function keep(report) {
  const open = new Set([...report.querySelectorAll("details[open]")].map((d) => d.id));
  const shut = [...report.querySelectorAll(".block")].map((b) => [b.id, [...b.querySelectorAll("input:not(:checked)")].map((i) => i.className)]);
  const seen = new Set([...report.querySelectorAll("details")].map((d) => d.id));
  return (report) => {
    for (const d of report.querySelectorAll("details")) if (seen.has(d.id)) d.open = open.has(d.id);
    for (const [id, classes] of shut) for (const c of classes) {
      const box = document.getElementById(id)?.getElementsByClassName(c)[0];
      if (box) box.checked = false;
    }
  };
}

async function text(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
}

async function refresh() {
  const live = document.getElementById("live"), report = document.getElementById("report");
  try {
    live.outerHTML = await text("live");
    const revision = document.getElementById("live").dataset.revision;
    if (revision !== report.dataset.revision) {
      const next = await text("report"), restore = keep(report);
      report.outerHTML = next;
      restore(document.getElementById("report"));
    }
  } catch {
    document.getElementById("live").classList.add("lost");
  }
  setTimeout(refresh, every);
}
setTimeout(refresh, every);
