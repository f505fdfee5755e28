"use strict";
// The list of all examples. However many there are, only the visible lines are drawn
// and loaded.

const $ = (id) => document.getElementById(id);

// request gets JSON.
async function request(url) {
  const answer = await fetch(url, { headers: whoHeaders() });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

// send posts JSON and gets JSON.
async function send(url, what) {
  const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json", ...whoHeaders() }, body: JSON.stringify(what) });
  if (!answer.ok) throw new Error("Not saved: " + (await answer.text()).trim());
  return answer.json();
}

let lineHeight = 34;
const highest = 5e6; // pixels: browsers lose precision in much higher elements
const blockSize = 200;

const list = {
  total: 0,
  pictures: false,
  blocks: new Map(), // first line -> lines, or null while they load
  version: 0,        // of the filter, to drop answers to an earlier one
  at: 0,             // the line that Enter opens
};

function query(from, count) {
  const filter = new URLSearchParams(new FormData($("filters")));
  filter.set("from", from);
  filter.set("count", count);
  return "api/list?" + filter;
}

function listClasses(names) {
  for (const key of ["given", "suggested"]) $("filters").elements[key].append(...names.map((name) => new Option(name, name)));
}

// setFilters shows the filters that apply to the session.
function setFilters(session) {
  listClasses(session.classes);
  if (session.searchable) $("text-label").textContent = "Name or text";
  $("suggested-filter").hidden = $("wrong-filter").hidden = session.blind;
  $("unusual-filter").hidden = !session.unusual;
}

// decisionText describes the decision about a line.
function decisionText(l) {
  return { skip: "skipped", ambiguous: "several fit", none: "none fits", others: "by others", conflict: "conflict" }[l.decided] || l.label;
}

// listPictures gives each line a picture.
function listPictures() {
  list.pictures = true;
  lineHeight = 60;
  $("list").classList.add("pictures");
}

// fetchBlock loads the lines of a block, once.
function fetchBlock(first) {
  if (list.blocks.has(first)) return;
  const version = list.version;
  list.blocks.set(first, null);
  request(query(first, blockSize)).then((answer) => {
    if (version !== list.version) return;
    list.blocks.set(first, answer.lines);
    if (answer.total !== list.total) {
      list.total = answer.total;
      resize();
    }
    drawList();
  }).catch((error) => {
    list.blocks.delete(first);
    problem(error);
  });
}

function resize() {
  $("height").style.height = Math.max(lineHeight, Math.min(highest, list.total * lineHeight)) + "px";
  showTotal();
}

function showTotal() {
  $("total").textContent = list.total.toLocaleString("en") + (list.total === 1 ? " example" : " examples");
}

// scale returns the number of pixels of the full list for one pixel of scrolling.
function scale(rows) {
  const full = list.total * lineHeight, height = Math.min(highest, full);
  return height > rows.clientHeight ? (full - rows.clientHeight) / (height - rows.clientHeight) : 1;
}

function drawList() {
  const rows = $("rows"), seen = $("window");
  const top = rows.scrollTop * scale(rows);
  const first = Math.max(0, Math.floor(top / lineHeight));
  const last = Math.min(list.total, Math.ceil((top + rows.clientHeight) / lineHeight) + 1);
  const lines = [];
  for (let k = first; k < last; k++) {
    const block = k - (k % blockSize);
    const known = list.blocks.get(block);
    if (!known) fetchBlock(block);
    lines.push(line(k, known && known[k - block]));
  }
  if (last < list.total) fetchBlock(last - (last % blockSize));
  seen.style.transform = `translateY(${rows.scrollTop - (top - first * lineHeight)}px)`;
  seen.replaceChildren(...lines);
}

function line(k, l) {
  const row = document.createElement("div");
  row.className = "line";
  row.setAttribute("role", "option");
  row.dataset.line = k;
  row.setAttribute("aria-selected", k === list.at);
  if (!l) {
    row.append(Object.assign(document.createElement("span"), { textContent: "…" }));
    return row;
  }
  row.dataset.place = l.place;
  const decided = decisionText(l);
  const picture = Object.assign(document.createElement("span"), { className: "picture" });
  if (list.pictures) picture.append(thumbnail(l.row));
  row.append(picture);
  for (const [text, name] of [
    [l.rank ? l.rank.toLocaleString("en") : "", ""], [l.rank ? chance(l.p_wrong) : "", ""], [l.given, l.suggested === l.given ? "" : "given"],
    [l.suggested === l.given ? "" : l.suggested, "suggested"], [decided, "decided"], [l.id, "id"],
  ]) {
    row.append(Object.assign(document.createElement("span"), { textContent: text, className: name, title: text }));
  }
  return row;
}

// thumbnails has the last pictures, so that a redrawn list does not flicker.
const thumbnails = new Map();

function thumbnail(row) {
  let img = thumbnails.get(row);
  if (!img) {
    img = Object.assign(new Image(), { alt: "", src: "api/thumbnail?row=" + row });
    img.addEventListener("error", () => { img.hidden = true; });
  }
  thumbnails.delete(row);
  thumbnails.set(row, img);
  if (thumbnails.size > 300) thumbnails.delete(thumbnails.keys().next().value);
  return img;
}

function chance(p) {
  if (p > 0.999) return ">99.9 %";
  return (100 * p).toFixed(p < 0.1 || p > 0.99 ? 1 : 0) + " %";
}

// refreshList reloads the visible lines.
function refreshList() {
  list.version++;
  list.at = 0;
  list.blocks.clear();
  fetchBlock(0);
  drawList();
}

function openList() {
  refreshList();
  $("rows").focus();
}

$("filters").addEventListener("input", () => {
  if (!$("grid").hidden) return openGrid();
  $("rows").scrollTop = 0;
  refreshList();
});
$("filters").addEventListener("submit", (event) => event.preventDefault());

let frame = 0;
function redraw() {
  if (!frame) frame = requestAnimationFrame(() => { frame = 0; drawList(); });
}
$("rows").addEventListener("scroll", redraw);
window.addEventListener("resize", redraw);
// openLine shows the example of a drawn line.
function openLine(row) {
  if (!row) return;
  view("one");
  show(Number(row.dataset.place));
}
$("window").addEventListener("click", (event) => openLine(event.target.closest("[data-place]")));

$("rows").addEventListener("keydown", (event) => {
  const rows = event.currentTarget, step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter") openLine(document.querySelector("#window [aria-selected=true][data-place]"));
  if (!step) return;
  event.preventDefault();
  list.at = Math.max(0, Math.min(list.total - 1, list.at + step));
  const top = rows.scrollTop * scale(rows), line = list.at * lineHeight;
  const to = Math.max(line + lineHeight - rows.clientHeight, Math.min(line, top)); // scroll just enough to show the line
  rows.scrollTop = to / scale(rows);
  drawList();
});
