"use strict";
// What the page says without this script it says with it; here are only the values under the pointer, pictures enlarged
// by a double click or Enter, the filter and the order of tables, and that a link opens what it leads to.
(() => {
  const titled = picture => [...picture.querySelectorAll("circle,rect,path")].filter(mark => mark.querySelector("title"));
  const middle = mark => {
    const box = mark.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2};
  };

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  // Marks of one line say once, in their group, whose they are.
  const words = mark => [mark.parentElement, mark].map(of => of.querySelector(":scope > title")?.textContent)
    .filter(text => text).join(": ");
  const show = (mark, at) => {
    tip.textContent = words(mark);
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 4;
    tip.style.left = Math.max(4, Math.min(at.x + 12, room)) + "px";
    tip.style.top = Math.max(4, at.y - tip.offsetHeight - 8) + "px";
  };
  document.addEventListener("pointermove", event => {
    const picture = event.target.closest(".plot");
    tip.hidden = true;
    if (!picture) return;
    const away = mark => Math.hypot(middle(mark).x - event.clientX, middle(mark).y - event.clientY);
    const under = event.target.querySelector?.(":scope > title") ? event.target : null;
    const nearest = under || titled(picture).reduce((best, mark) => !best || away(mark) < away(best) ? mark : best, null);
    if (nearest && (under || away(nearest) < 24)) show(nearest, {x: event.clientX, y: event.clientY});
  });
  document.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const picture = document.activeElement.closest?.(".plot");
    if (!step || !picture) return;
    const marks = titled(picture);
    if (!marks.length) return;
    event.preventDefault();
    picture.dataset.at = ((+(picture.dataset.at ?? (step > 0 ? -1 : 0))) + step + marks.length) % marks.length;
    show(marks[picture.dataset.at], middle(marks[picture.dataset.at]));
  });

  // A picture as wide as the page, and back.
  const enlarge = picture => picture.closest("figure")?.classList.toggle("large");
  document.addEventListener("dblclick", event => {
    const picture = event.target.closest(".plot");
    if (picture) enlarge(picture);
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Enter" && document.activeElement.matches?.(".plot")) enlarge(document.activeElement);
  });

  // Numbers go before words; a dash, which stands for nothing, goes last.
  const value = text => {
    if (text === "inf" || text === "nan") return [0, Infinity, ""];
    const [, sign, gap] = text.match(/^1 ([-+]) (\S+)$/) || [];
    const number = gap ? 1 + (sign === "-" ? -gap : +gap)
      : parseFloat(text.replace(/,|^> /g, "")) / (text.endsWith("%") ? 100 : 1);
    return text === "-" ? [2, 0, ""] : Number.isNaN(number) ? [1, 0, text] : [0, number, text];
  };
  const order = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2].localeCompare(b[2]);
  const ordered = (title, index, rows, cell) => {
    const button = document.createElement("button");
    button.className = "sort";
    button.type = "button";
    button.textContent = title.textContent;
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      for (const other of title.parentElement.children) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      const all = rows().map(row => ({row, key: value(cell(row, index).textContent.trim())}));
      all.sort((a, b) => down ? order(b.key, a.key) : order(a.key, b.key));
      for (const {row} of all) row.parentElement.append(row);
    });
  };
  const filtered = (before, rows, text) => {
    const input = document.createElement("input");
    input.className = "filter";
    input.type = "search";
    input.placeholder = "filter";
    input.setAttribute("aria-label", "show only rows with this text");
    before.before(input);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows()) row.hidden = !text(row).toLowerCase().includes(wanted);
    });
  };
  const few = 8;
  for (const list of document.querySelectorAll(".rows")) {
    const rows = () => [...list.querySelectorAll(":scope > .row")];
    if (rows().length <= few) continue;
    filtered(list, rows, row => row.querySelector("summary").textContent);
    const cell = (row, index) => row.querySelectorAll(index === 0 ? "summary .name" : "summary .cell")[Math.max(0, index - 1)];
    [...list.querySelectorAll(".rows-head > span")].forEach((title, index) => ordered(title, index, rows, cell));
  }
  for (const table of document.querySelectorAll("table")) {
    const rows = () => [...table.tBodies[0].rows];
    if (rows().length <= few) continue;
    filtered(table, rows, row => row.textContent);
    [...table.querySelectorAll("th")].forEach((title, index) => ordered(title, index, rows, (row, at) => row.cells[at]));
  }

  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(row => row.open = true));
  open();
})();
