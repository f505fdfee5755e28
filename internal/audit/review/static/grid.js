"use strict";
// Many examples at once: tiles of the filtered examples. Some are left out; the others get one
// decision.

const grid = { from: 0, lines: [], out: new Set(), seen: new Set(), version: 0 };
const gridPage = 60;

// openGrid loads the tiles, starting at a line of the list.
async function openGrid(from = 0) {
  const show = $("filters").elements.show;
  if (!show.value) show.value = "undecided";
  const version = ++grid.version;
  try {
    let answer = await request(query(from, gridPage) + "&texts=" + (list.pictures ? "" : 1));
    if (from > 0 && !answer.lines.length) answer = await request(query(from = 0, gridPage) + "&texts=" + (list.pictures ? "" : 1));
    if (version !== grid.version) return;
    Object.assign(grid, { from, lines: answer.lines, out: new Set(answer.lines.filter((l) => l.decided).map((l) => l.place)) });
    list.total = answer.total;
    showTotal();
    drawGrid();
    window.scrollTo(0, 0);
  } catch (error) {
    problem(error);
  }
}

function tile(l) {
  const box = document.createElement("div"), pick = document.createElement("button"), open = document.createElement("button");
  box.className = "tile";
  pick.type = open.type = "button";
  pick.className = "pick";
  pick.dataset.place = l.place;
  pick.setAttribute("aria-pressed", !grid.out.has(l.place));
  pick.disabled = l.decided !== "";
  pick.append(list.pictures ? thumbnail(l.row) : Object.assign(document.createElement("span"), { className: "snippet", textContent: l.text || l.id }));
  const caption = document.createElement("span");
  caption.className = "caption";
  caption.append(Object.assign(document.createElement("b"), { textContent: l.given, className: l.suggested === l.given ? "" : "given" }));
  if (l.suggested !== l.given) caption.append(" → ", Object.assign(document.createElement("b"), { textContent: l.suggested, className: "suggested" }));
  if (l.rank) caption.append(" · " + chance(l.p_wrong));
  if (l.decided) caption.append(" · " + decisionText(l));
  pick.append(caption);
  open.className = "open";
  open.textContent = "Open";
  open.setAttribute("aria-label", "Open " + l.id);
  open.addEventListener("click", () => { view("one"); show(l.place); });
  box.append(pick, open);
  return box;
}

function drawGrid() {
  $("tiles").classList.toggle("texts", !list.pictures);
  $("tiles").replaceChildren(...grid.lines.map(tile));
  if (!grid.lines.length) $("tiles").textContent = "No example matches these filters.";
  grid.seen.clear();
  markSeen();
}

// markSeen marks the tiles with their middle on the screen or above it.
function markSeen() {
  for (const box of $("tiles").querySelectorAll(".tile")) {
    const { top, height } = box.getBoundingClientRect();
    if (top + height / 2 < window.innerHeight) grid.seen.add(box.querySelector(".pick").dataset.place);
  }
  drawBatch();
}
for (const event of ["scroll", "resize"]) window.addEventListener(event, () => { if (!$("grid").hidden) markSeen(); }, { passive: true });

// unseen counts the tiles that were never on the screen.
function unseen() { return grid.lines.filter((l) => !grid.seen.has(String(l.place))).length; }

// picked returns the lines to decide.
function picked() { return grid.lines.filter((l) => !grid.out.has(l.place)); }

// drawBatch labels the buttons, and disables them until all tiles have been on the screen.
function drawBatch() {
  const rest = unseen();
  $("rest").hidden = !rest;
  $("rest").textContent = `${rest} more to look at ↓`;
  const lines = picked(), n = lines.length.toLocaleString("en");
  const one = (key) => (new Set(lines.map((l) => l[key])).size === 1 ? lines[0][key] : "");
  $("keep-all").querySelector("span").textContent = one("given") ? `Keep ${one("given")} for ${n}` : `Keep the labels of ${n}`;
  $("take-all").querySelector("span").textContent = one("suggested") ? `Change ${n} to ${one("suggested")}` : `Change ${n} to the suggested labels`;
  $("take-all").hidden = lines.every((l) => l.suggested === l.given);
  $("keep-all").disabled = $("take-all").disabled = $("other-all").disabled = !lines.length || rest > 0;
  $("later").hidden = list.total <= grid.lines.length;
}

$("tiles").addEventListener("click", (event) => {
  const pick = event.target.closest(".pick");
  if (!pick) return;
  const place = Number(pick.dataset.place);
  if (!grid.out.delete(place)) grid.out.add(place);
  pick.setAttribute("aria-pressed", !grid.out.has(place));
  drawBatch();
});

// decideAll gives all picked examples the labels of a function.
async function decideAll(label) {
  const choices = picked().map((l) => ({ place: l.place, id: l.id, label: label(l) }));
  if (!choices.length || state.busy) return;
  state.busy = true;
  try {
    const answer = await send("api/decide-many", { choices });
    problem(null);
    showProgress(answer.progress);
    await openGrid(0);
  } catch (error) {
    problem(error);
  } finally {
    state.busy = false;
  }
}

// seen reports whether all tiles have been on the screen, and otherwise scrolls to the next ones.
function seen() {
  if (!unseen()) return true;
  window.scrollBy({ top: window.innerHeight * .8 });
  return false;
}

const gridActions = {
  k: () => { if (seen()) decideAll((l) => l.given); },
  s: () => { if (seen() && !$("take-all").hidden) decideAll((l) => l.suggested); },
  o: () => { if (seen() && picked().length) openChoice(); },
  u: () => undo().then(() => openGrid(grid.from)),
  ArrowRight: () => { if (!$("later").hidden) openGrid(grid.from + grid.lines.length); },
};
$("rest").addEventListener("click", () => { seen(); $("rest").blur(); });
for (const [id, key] of Object.entries({ "keep-all": "k", "take-all": "s", "other-all": "o", "undo-all": "u", later: "ArrowRight" })) {
  $(id).addEventListener("click", () => { gridActions[key](); $(id).blur(); });
}
