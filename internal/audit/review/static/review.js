"use strict";
// The page of one example. list.js has the list, $() and request(); people.js has the reviewers.

const state = {
  session: null,
  example: null, // on the screen
  ahead: null,   // promise of the next one, loaded while this one is shown
  busy: false,   // a decision is being saved: keys must not decide about the next example
};

// problem shows an error; null hides it.
function problem(error) {
  $("problem").hidden = !error;
  if (error) {
    const gone = error instanceof TypeError;
    $("problem").textContent = gone
      ? "losscorr review does not answer. Your earlier decisions are saved. Start it again, and open the address that it prints."
      : error.message;
  }
}

function showProgress(p) {
  const bar = $("bar");
  bar.max = Math.max(1, p.goal);
  bar.value = Math.min(p.goal, p.decided + p.ambiguous + p.none + p.skipped);
  const parts = [`${p.decided.toLocaleString("en")} checked`, `${p.changed.toLocaleString("en")} changed`];
  if (p.ambiguous) parts.push(`${p.ambiguous.toLocaleString("en")} several fit`);
  if (p.none) parts.push(`${p.none.toLocaleString("en")} none fits`);
  if (p.skipped) parts.push(`${p.skipped.toLocaleString("en")} skipped`);
  if (p.random) showCount(p.random);
  if (p.accept) showAcceptance(p.accept);
  showPeople(p);
  $("counts").textContent = parts.join(" · ");
}

// showCount shows the result of random checks so far: the count, how its interval shrinks, and how
// many more checks narrow it.
function showCount(r) {
  $("count").hidden = false;
  $("done-title").textContent = `All ${r.asked.toLocaleString("en")} random checks are done.`;
  $("done-text").textContent = "To use them, end this program with Ctrl-C and repeat the audit, which keeps its networks. For a narrower count, start again with a larger --random.";
  const c = r.count;
  if (!c) {
    $("count-verdict").textContent = `${r.checked} of ${r.asked} random checks. The count begins with ten.`;
    $("rounds").replaceChildren();
    $("count-more").textContent = "";
    return;
  }
  $("count-verdict").textContent = r.verdict;
  const most = Math.max(...c.rounds.map((round) => round.high));
  $("rounds").replaceChildren(...c.rounds.map((round) => {
    const item = document.createElement("li");
    const range = document.createElement("span");
    range.className = "range";
    const bar = document.createElement("i");
    bar.style.left = 100 * round.low / most + "%";
    bar.style.width = Math.max(.5, 100 * (round.high - round.low) / most) + "%";
    const dot = document.createElement("b");
    dot.style.left = 100 * round.wrong / most + "%";
    range.append(bar, dot);
    const number = (v) => Math.round(v).toLocaleString("en");
    item.append(Object.assign(document.createElement("span"), { textContent: `${round.checked} checked` }), range,
      Object.assign(document.createElement("span"), { textContent: `${number(round.low)} to ${number(round.high)}` }));
    return item;
  }));
  const parts = [];
  if (c.ambiguous) parts.push(`${c.ambiguous} fit several classes and count as right`);
  if (c.none) parts.push(`${c.none} fit no class and count as wrong`);
  for (const m of (c.more || []).slice(0, 2)) parts.push(`${Math.round(100 * m.share)} % either way needs about ${m.checks.toLocaleString("en")} more checks`);
  const text = parts.join("; ");
  $("count-more").textContent = text && text[0].toUpperCase() + text.slice(1) + ".";
}

// showAcceptance shows whether the labels are accepted.
function showAcceptance(a) {
  $("count").hidden = a.verdict !== "undecided"; // otherwise the title shows the verdict
  $("count-verdict").textContent = a.text;
  $("rounds").replaceChildren();
  $("count-more").textContent = a.forecast;
  $("done-title").textContent = a.verdict === "undecided" ? "All checks are done." : a.text;
  $("done-text").textContent = "Your answers are saved. End this program with Ctrl-C.";
}

// look returns the element that shows an example.
function look(l, alt) {
  if (l.image) {
    const img = new Image();
    img.alt = alt;
    img.src = "api/image?row=" + l.row;
    return img;
  }
  const text = document.createElement("blockquote");
  text.textContent = l.text;
  return text;
}

function fetchExample(place) {
  return request("api/example?place=" + place).then((e) => {
    for (const l of [e.look, ...e.near.flatMap((n) => n.looks)]) {
      if (l.image) new Image().src = "api/image?row=" + l.row; // into the browser's cache
    }
    return e;
  });
}

// show shows the example at a place; -1 means that all are decided.
async function show(place) {
  state.busy = true;
  try {
    $("done").hidden = place >= 0;
    if (place < 0) {
      $("example").hidden = true;
      state.example = null;
      return;
    }
    const ahead = state.ahead && state.ahead.place === place ? state.ahead.promise : fetchExample(place);
    const e = await ahead;
    state.example = e;
    draw(e);
    problem(null);
  } catch (error) {
    problem(error);
  } finally {
    $("loading").hidden = true;
    state.ahead = null;
    state.busy = false;
  }
}

function draw(e) {
  $("example").hidden = false;
  $("example").dataset.place = e.place;
  $("asked").hidden = !e.asked;
  $("asked").textContent = e.asked;
  $("replaced").hidden = !e.replaced;
  $("replaced").textContent = e.replaced;
  const shown = $("look");
  shown.classList.toggle("text", !e.look.image);
  if (e.missing) {
    const p = document.createElement("p");
    p.className = "missing";
    p.textContent = e.missing;
    shown.replaceChildren(p);
  } else {
    shown.replaceChildren(look(e.look, e.id));
  }
  $("id").textContent = e.id;
  $("given").textContent = e.given;
  $("given").className = e.given === e.suggested ? "" : "given";
  $("suggestion").hidden = e.given === e.suggested;
  $("suggested").textContent = e.suggested;
  $("chance").textContent = e.chance;
  $("keep").querySelector("b").textContent = e.given;
  $("take").querySelector("b").textContent = e.suggested;
  $("take").hidden = e.given === e.suggested;
  $("likeliest").hidden = $("runner").hidden = !e.runner;
  $("runner-up").textContent = e.runner;
  $("runner").querySelector("b").textContent = e.runner;
  $("was").hidden = !e.decided;
  showSaid(e);
  $("skip").hidden = disputed(e);
  $("was").textContent = { conflict: "Reviewers disagree. Your decision settles it.", others: "Somebody else has decided it. You will see the decision after yours.", skip: "You skipped it.", ambiguous: "You decided: several classes fit.", none: "You decided: no class fits." }[e.decided] || "You decided: " + e.label + ".";
  if (e.said.some((s) => s.settles)) $("was").textContent = "The conflict is settled. A new decision replaces the settlement.";
  $("near").replaceChildren(...e.near.map((n) => {
    const column = document.createElement("div");
    const title = document.createElement("h2");
    title.append("Similar examples labelled ", Object.assign(document.createElement("b"), { textContent: n.class, className: n.class === e.suggested ? "suggested" : n.class === e.given ? "given" : "" }));
    const items = document.createElement("div");
    items.className = n.looks.some((l) => l.text) ? "looks texts" : "looks";
    items.append(...n.looks.map((l) => look(l, n.class)));
    if (!n.looks.length) items.textContent = "no label of this class is reliable enough";
    column.append(title, items);
    return column;
  }));
  window.scrollTo(0, 0);
}

// lookAhead loads the next example, so that it appears at once after a decision.
function lookAhead() {
  const e = state.example;
  if (!e || e.next < 0 || e.next === e.place) return;
  const promise = fetchExample(e.next);
  promise.catch(() => {}); // show reports the error
  state.ahead = { place: e.next, promise };
}

// decide saves a label, or an action without one.
async function decide(label, action = "") {
  const e = state.example;
  if (!e || state.busy) return;
  state.busy = true;
  try {
    const answer = await send("api/decide", { place: e.place, id: e.id, label, action, settles: disputed(e) });
    showProgress(answer.progress);
    await show(answer.next);
    lookAhead();
  } catch (error) {
    problem(error);
  } finally {
    state.busy = false;
  }
}

async function undo() {
  if (state.busy) return;
  state.busy = true;
  try {
    const answer = await send("api/undo", {});
    showProgress(answer.progress);
    if (answer.place >= 0) await show(answer.place);
  } catch (error) {
    problem(error);
  } finally {
    state.busy = false;
  }
}

// step goes to a place nearby without deciding.
function step(by) {
  const e = state.example;
  if (!e || state.busy) return;
  const place = e.place + by;
  if (place >= 0 && place < state.session.examples) show(place);
}

// --- choosing another class

function matches() {
  const typed = $("filter").value.trim().toLowerCase();
  const likely = $("grid").hidden ? state.example.likely : [];
  if (!typed) return [...new Set([...likely, ...state.session.classes])].slice(0, 50);
  const starts = [], holds = [];
  for (const name of state.session.classes) {
    const at = name.toLowerCase().indexOf(typed);
    if (at === 0) starts.push(name);
    else if (at > 0) holds.push(name);
  }
  return [...starts, ...holds].slice(0, 50);
}

function drawMatches(selected = 0) {
  const names = matches();
  selected = Math.max(0, Math.min(selected, names.length - 1));
  $("matches").replaceChildren(...names.map((name, k) => {
    const item = document.createElement("li");
    item.textContent = name;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", k === selected);
    item.addEventListener("click", () => choose(name));
    return item;
  }));
  if (!names.length) $("matches").append(Object.assign(document.createElement("li"), { className: "none", textContent: "no class name contains this" }));
  const at = $("matches").children[selected];
  if (at) at.scrollIntoView({ block: "nearest" });
}

function choose(name) {
  $("choose").close();
  if ($("grid").hidden) decide(name);
  else decideAll(() => name);
}

function openChoice() {
  if ((!state.example && $("grid").hidden) || state.busy) return;
  $("filter").value = "";
  $("choose").showModal();
  drawMatches();
}

$("filter").addEventListener("input", () => drawMatches());
$("filter").addEventListener("keydown", (event) => {
  const items = [...$("matches").children];
  const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") drawMatches(at + 1);
  else if (event.key === "ArrowUp") drawMatches(at - 1);
  else if (event.key === "Enter" && at >= 0) choose(items[at].textContent);
  else return;
  event.preventDefault();
});

// --- views and keys

function view(name) {
  for (const v of ["one", "list", "grid"]) {
    $(v).hidden = v !== name;
    $("show-" + v).setAttribute("aria-pressed", v === name);
  }
  $("filters").hidden = name === "one";
  if (name === "list") openList();
  if (name === "grid") openGrid();
}

const actions = {
  k: () => decide(state.example?.given),
  s: () => { if (!$("take").hidden) decide(state.example?.suggested); },
  r: () => { if (!$("runner").hidden) decide(state.example?.runner); },
  o: openChoice,
  a: () => decide("", "ambiguous"),
  n: () => decide("", "none"),
  " ": () => { if (!$("skip").hidden) decide(""); },
  u: undo,
  l: () => view($("list").hidden ? "list" : "one"),
  g: () => view($("grid").hidden ? "grid" : "one"),
  "?": () => $("keys").showModal(),
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
};
for (const [id, key] of Object.entries({ keep: "k", take: "s", runner: "r", other: "o", ambiguous: "a", none: "n", skip: " ", undo: "u", help: "?" })) {
  $(id).addEventListener("click", () => { actions[key](); $(id).blur(); });
}
$("show-one").addEventListener("click", () => view("one"));
$("show-list").addEventListener("click", () => view("list"));
$("show-grid").addEventListener("click", () => view("grid"));

// keyOf returns the key by its letter or, on keyboards of other scripts, by its place on a Latin one.
function keyOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (actions[key] || /^[a-z]$/.test(key)) return key;
  const place = /^Key([A-Z])$/.exec(event.code);
  return place ? place[1].toLowerCase() : key;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (document.querySelector("dialog[open]") || event.target.closest("input, select, textarea")) return;
  const key = keyOf(event);
  const inList = !$("list").hidden, inGrid = !$("grid").hidden;
  const button = event.target.closest("button") && (key === " " || key === "Enter");
  if (button || !actions[key] || (inList && !"lug?".includes(key)) || (inGrid && !gridActions[key] && !"lg?".includes(key))) return;
  event.preventDefault();
  if (inGrid && gridActions[key]) gridActions[key]();
  else if (inList && key === "u") undo().then(refreshList);
  else actions[key]();
});

async function start() {
  try {
    state.session = await openSession();
    document.title = "Check labels: " + (state.session.source || state.session.folder);
    showProgress(state.session.progress);
    setFilters(state.session);
    if (state.session.images) listPictures();
    await show(state.session.next);
    lookAhead();
  } catch (error) {
    problem(error);
  }
}
start();
