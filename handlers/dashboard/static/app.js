// Conveniences: every page works without this script.
"use strict";

// Copying. Without a secure context browsers have no clipboard, and the buttons stay hidden.
function offerCopying(within) {
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    const label = button.textContent;
    let timer;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.value ?? source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        source.select?.();
        button.textContent = "Press Ctrl+C";
      }
      clearTimeout(timer);
      timer = setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}

// Editors of mappings get another row when the last one is begun.
function growRows(table) {
  const body = table.tBodies[0];
  body.addEventListener("input", () => {
    const last = body.rows[body.rows.length - 1];
    if (last.querySelector("input[name=name]").value === "") return;
    const row = last.cloneNode(true);
    row.querySelector("input[name=name]").value = "";
    row.querySelector("select").value = last.querySelector("select").value;
    const remove = row.querySelector("input[name=remove]");
    remove.value = body.rows.length;
    remove.checked = false;
    remove.setAttribute("aria-label", "Remove this row");
    body.append(row);
  });
}

// Search as you type: the server renders the results, and the address follows, so that it can be shared.
function searchLive(form) {
  const results = document.getElementById("results");
  const status = document.getElementById("status");
  let timer, underway;
  let proposed = false; // whether the server is to propose facets

  async function search() {
    underway?.abort();
    underway = new AbortController();
    const asked = new URLSearchParams(new FormData(form));
    if (proposed) asked.delete("facets");
    const query = asked.toString();
    history.replaceState(null, "", form.getAttribute("action") + "?" + query);
    let answer, text;
    try {
      answer = await fetch(form.dataset.results + "?" + query, { signal: underway.signal });
      text = await answer.text();
    } catch (error) {
      if (error.name !== "AbortError") status.textContent = "The server does not answer. Try again.";
      return;
    }
    if (answer.status === 401 || answer.redirected) { // the session has ended
      location.reload();
      return;
    }
    const parsed = new DOMParser().parseFromString(text, "text/html");
    const fresh = parsed.querySelector("[data-status]");
    if (!fresh) {
      status.textContent = parsed.querySelector(".problem p")?.textContent ?? "The search failed.";
      return;
    }
    suggest(parsed.getElementById("suggestions"));
    const folded = results.querySelector(".facets details");
    const facets = fresh.querySelector(".facets details");
    if (folded && facets) facets.open = folded.open;
    const focused = results.contains(document.activeElement) ? document.activeElement.value : undefined;
    results.replaceChildren(document.adoptNode(fresh));
    offerCopying(results);
    if (proposed) {
      form.elements.facets.value = fresh.dataset.asked;
      document.getElementById("fields").textContent = fresh.dataset.fields;
      proposed = false;
    }
    if (focused !== undefined) {
      [...results.querySelectorAll("input[name=facet]")].find((box) => box.value === focused)?.focus();
    }
    if (status.textContent !== fresh.dataset.status) status.textContent = fresh.dataset.status;
  }

  // The focus stays on the suggestions while there are any; otherwise it returns to the query.
  function suggest(fresh) {
    const shown = document.getElementById("suggestions");
    const at = [...shown.querySelectorAll("a")].indexOf(document.activeElement);
    shown.replaceWith(document.adoptNode(fresh));
    if (at >= 0) (fresh.querySelectorAll("a")[at] ?? form.elements.q).focus();
  }

  // The arrow keys lead from the query into its suggestions, and Escape leads back.
  form.addEventListener("keydown", (event) => {
    const links = [...form.querySelectorAll("#suggestions a")];
    const at = links.indexOf(event.target);
    if (links.length === 0 || at < 0 && event.target !== form.elements.q) return;
    let to;
    if (event.key === "ArrowDown") to = links[Math.min(at + 1, links.length - 1)];
    else if (event.key === "ArrowUp" && at >= 0) to = links[at - 1] ?? form.elements.q;
    else if (event.key === "Escape" && at >= 0) to = form.elements.q;
    if (!to) return;
    event.preventDefault();
    to.focus();
  });

  function soon(delay) {
    clearTimeout(timer);
    timer = setTimeout(search, delay);
  }

  // Facets are outside the form, but belong to it.
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (field.form !== form) return;
    if (field.name === "in") { // what refers to the fields of one index does not fit another
      for (const name of ["filter", "facets", "sort"]) form.elements[name].value = "";
      results.querySelectorAll("input[name=facet]").forEach((box) => { box.checked = false; });
      proposed = true;
    }
    soon(field.type === "checkbox" || field.tagName === "SELECT" ? 0 : 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    soon(0);
  });

  // The page opens with the focus on the query, and Chromium puts the cursor at its beginning: at the end, typing continues the query.
  const query = form.elements.q;
  query.setSelectionRange(query.value.length, query.value.length);
}

// A form has no effect if its session has ended or the server has no room for it. Its fields are kept in this tab until it has been
// answered otherwise, so that it can be sent again, with the token of the session that there is then.
const unsentForm = "rowan-unsent-form";

function readUnsent() {
  try {
    return JSON.parse(sessionStorage.getItem(unsentForm));
  } catch {
    return null;
  }
}

function keepUnsent(kept) {
  try {
    sessionStorage.removeItem(unsentForm);
    if (kept) sessionStorage.setItem(unsentForm, JSON.stringify(kept));
  } catch { /* too large for the browser, or it stores nothing: then it is as without a script */ }
}

function offerUnsent(main) {
  const application = document.querySelector(".who span")?.textContent; // none on the sign-in page
  document.addEventListener("submit", ({ target: form, submitter }) => {
    if (form.matches(".who")) keepUnsent(null); // signing out leaves nothing behind
    if (!main.contains(form) || form.method !== "post" || !application) return;
    keepUnsent({
      application,
      title: form.dataset.title ?? document.title.replace(/^Error: /, "").replace(/ · Rowan$/, ""),
      action: form.getAttribute("action"),
      fields: [...new FormData(form, submitter)].filter(([name]) => name !== "form_token"),
    });
  });

  const kept = readUnsent();
  if (!kept) return;
  kept.refused ||= "unsent" in main.dataset;
  if (!kept.refused || application && application !== kept.application) { // it was answered, or belongs to another application
    keepUnsent(null);
    return;
  }
  keepUnsent(kept);
  const template = document.getElementById("unsent");
  if (!template) return; // an error, before anybody knew whose session it is
  const offer = template.content.firstElementChild;
  template.replaceWith(offer);
  const form = offer.querySelector("form");
  if (!form) return;
  offer.querySelector("strong").textContent = form.dataset.title = kept.title;
  form.setAttribute("action", kept.action);
  for (const [name, value] of kept.fields) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  form.querySelector("[type=button]").addEventListener("click", () => {
    keepUnsent(null);
    offer.remove();
    main.focus();
  });
}

offerCopying(document);
offerUnsent(document.getElementById("main"));
document.querySelectorAll("table[data-rows]").forEach(growRows);
const preview = document.querySelector("form[data-results]");
if (preview) searchLive(preview);
// If the style sheet cannot unfold facets on wide screens, they are opened here.
if (!CSS.supports("selector(::details-content)") && matchMedia("(min-width: 44.01rem)").matches) {
  document.querySelectorAll(".facets details").forEach((facets) => { facets.open = true; });
}
