"use strict";
// Several reviewers: their names, their decisions, and how often they agree.

const nameCookie = "losscorr-reviewer"; // shared by all ports of this machine, so that the page asks only once

function myName() {
  const found = document.cookie.split("; ").find((c) => c.startsWith(nameCookie + "="));
  return found ? found.slice(nameCookie.length + 1) : "";
}

// whoHeaders returns the header with the reviewer's name, if there is one.
function whoHeaders() {
  const name = myName();
  return name ? { "Losscorr-Reviewer": name } : {};
}

// askName resolves once a name is entered.
function askName(known) {
  const dialog = $("who"), form = $("who-form");
  $("known").hidden = !known.length;
  $("names").replaceChildren(...known.map((name) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.addEventListener("click", () => { $("name").value = name; form.requestSubmit(); });
    return button;
  }));
  dialog.showModal();
  return new Promise((resolve) => {
    const done = () => {
      const name = $("name").value.trim();
      if (!name) return;
      document.cookie = `${nameCookie}=${encodeURIComponent(name)}; path=/; max-age=31536000; samesite=strict`;
      form.removeEventListener("submit", done);
      resolve();
    };
    form.addEventListener("submit", done);
  });
}
$("who").addEventListener("cancel", (event) => event.preventDefault()); // nobody reviews without a name

// openSession gets the session from the server, and asks for a name if the server needs one.
async function openSession() {
  let session = await request("api/session");
  while (session.ask) {
    await askName(session.reviewers);
    session = await request("api/session");
  }
  return session;
}

// verdict describes somebody's decision about an example.
function verdict(said) {
  return { ambiguous: "several fit", none: "none fits", skip: "skipped" }[said.action] || said.label;
}

// showSaid shows all decisions about an example that the server has sent.
function showSaid(e) {
  $("said").hidden = !e.said.length;
  $("said").replaceChildren(...e.said.map((s) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("b"), { textContent: s.reviewer }), s.settles ? " has settled it: " : ": ", verdict(s));
    return item;
  }));
}

// disputed reports whether a decision about an example settles a conflict.
function disputed(e) {
  return e.decided === "conflict" || e.said.some((s) => s.settles);
}

function cells(body, rows) {
  body.replaceChildren(...rows.map((row) => {
    const tr = document.createElement("tr");
    tr.append(...row.map((text, k) => Object.assign(document.createElement(k ? "td" : "th"), { textContent: text })));
    return tr;
  }));
}

// showPeople shows how several people agree.
function showPeople(p) {
  const session = state.session, r = p.reviewed;
  $("people").hidden = !session.several && !r;
  $("people").textContent = [session.reviewer || "Reviewers", p.conflicts ? (p.conflicts === 1 ? "1 conflict" : `${p.conflicts.toLocaleString("en")} conflicts`) : ""].filter(Boolean).join(" · ");
  $("me").textContent = session.reviewer ? `You are ${session.reviewer}, and have decided or skipped ${p.mine.toLocaleString("en")}.` : "";
  $("deciders").hidden = !r;
  $("pairs").hidden = !r || !r.agreements;
  cells($("deciders").tBodies[0], r ? r.reviewers.map((x) => [x.name, x.decided.toLocaleString("en")]) : []);
  cells($("pairs").tBodies[0], ((r && r.agreements) || []).map((a) => [`${a.first}, ${a.second}`, a.both.toLocaleString("en"), a.same.toLocaleString("en"), a.kappa === null ? "" : a.kappa.toFixed(2)]));
  $("settle").hidden = !p.conflicts;
  $("settle").textContent = p.conflicts === 1 ? "Settle the conflict" : `Settle the ${p.conflicts.toLocaleString("en")} conflicts`;
  $("rename").hidden = !session.several;
  for (const option of $("filters").elements.show.options) option.hidden = option.dataset.several !== undefined && $("people").hidden;
}

$("people").addEventListener("click", () => $("together").showModal());
$("settle").addEventListener("click", () => {
  $("together").close();
  $("filters").elements.show.value = "conflict";
  view("list");
});
$("rename").addEventListener("click", () => {
  document.cookie = `${nameCookie}=; path=/; max-age=0; samesite=strict`;
  location.reload();
});
