"use strict";
// Everything can be read without this script; it filters and sorts, switches light and dark, and makes links to a view.

for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

// Light and dark: as the system has it, until the reader chooses.
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = document.getElementById("theme");
function isDark() {
  const root = document.documentElement.classList;
  return root.contains("dark") || (dark.matches && !root.contains("light"));
}
function nameTheme() {
  theme.textContent = isDark() ? "Light" : "Dark";
}
theme.addEventListener("click", () => {
  const root = document.documentElement.classList;
  const chosen = isDark() ? "light" : "dark";
  root.remove("light", "dark");
  root.add(chosen);
  nameTheme();
});
dark.addEventListener("change", nameTheme);
nameTheme();

// Filter and sort: `rows` holds language, framework, model and device of each row, by its number.
const filters = document.getElementById("filters");
const FACTS = ["language", "framework", "model", "device"];
const marked = [...document.querySelectorAll("[data-row]")];
const order = new Map(marked.map((element, place) => [element, place]));

function isShown(row) {
  return FACTS.every((fact, index) => !filters[fact].value || filters[fact].value === row[index]);
}
function filter() {
  const shown = rows.map(isShown);
  for (const element of marked) element.hidden = !shown[element.dataset.row];
  shown.forEach((visible, number) => {
    document.getElementById(`loss-${number}`)?.style.setProperty("display", visible ? "inline" : "none");
  });
  for (const part of document.querySelectorAll("[data-for-model]")) {
    part.hidden = filters.model.value !== "" && part.dataset.forModel !== filters.model.value;
  }
  for (const item of document.querySelectorAll(".unranked li")) item.hidden = !item.querySelector("[data-row]:not([hidden])");
  const count = shown.filter(Boolean).length;
  filters.querySelector("output").textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
}
function sort() {
  const fact = FACTS.indexOf(filters.sort.value);
  for (const body of document.querySelectorAll(".chart tbody")) {
    const lines = [...body.children].sort((one, other) => {
      const [a, b] = [one, other].map((line) => (fact < 0 ? "" : (rows[line.dataset.row] ?? [])[fact] ?? ""));
      return a.localeCompare(b) || order.get(one) - order.get(other);
    });
    body.append(...lines);
  }
}
filters.addEventListener("input", () => (filter(), sort()));
filters.addEventListener("reset", () => setTimeout(() => (filter(), sort())));
filters.addEventListener("submit", (event) => event.preventDefault());
filter();

// The table of all figures: a click on a column sorts by it, a second one the other way round.
for (const table of document.querySelectorAll(".sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const body = table.tBodies[0];
      const text = (line) => line.cells[column].textContent;
      // Empty cells come last, whichever way.
      const compared = (one, other) =>
        (text(one) === "") - (text(other) === "") || sign * text(one).localeCompare(text(other), "en", { numeric: false }) ;
      const numeric = [...body.rows].every((line) => text(line) === "" || !isNaN(text(line)));
      const byNumber = (one, other) => (text(one) === "") - (text(other) === "") || sign * (text(one) - text(other));
      body.append(...[...body.rows].sort(numeric ? byNumber : compared));
    });
  });
}

// The stone: #stone/MODEL/IMPLEMENTATION+IMPLEMENTATION chooses what is laid side by side.
const stone = document.getElementById("stone");
const link = document.getElementById("stone-link");
const choices = (name) => [...stone.querySelectorAll(`[name="${name}"]`)];
function chosen() {
  const model = choices("stone-model").find((input) => input.checked).value;
  const keys = choices("stone-implementation").filter((input) => input.checked).map((input) => input.value);
  return `#stone/${model}/${keys.join("+")}`;
}
function follow() {
  const [, model, keys] = decodeURIComponent(location.hash).match(/^#stone\/([^/]+)\/(.+)$/) ?? [];
  const wanted = keys?.split("+") ?? [];
  const radio = choices("stone-model").find((input) => input.value === model);
  const boxes = choices("stone-implementation");
  const known = boxes.filter((input) => wanted.includes(input.value));
  if (radio && known.length) {
    radio.checked = true;
    for (const input of boxes) input.checked = known.includes(input);
    stone.scrollIntoView();
  }
  link.href = chosen();
}
stone.addEventListener("input", () => {
  link.href = chosen();
});
addEventListener("hashchange", follow);
follow();
