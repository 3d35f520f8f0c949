// Text that runs out of the page or its box; cells of a row, marks of an axis or parts of a line that lie on each other.
() => {
  const faults = [];
  const name = (element) => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 40)}`;
  const seen = (element) => element.checkVisibility() && !element.closest(".unseen, .skip");
  const scrolls = (element) => {
    for (let up = element; up; up = up.parentElement) if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) faults.push("the page is wider than the screen");
  // Where an element's text stands, without what only screen readers see.
  const written = (element) => {
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (!text.data.trim() || !seen(text.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const part = range.getBoundingClientRect();
      box.left = Math.min(box.left, part.left);
      box.top = Math.min(box.top, part.top);
      box.right = Math.max(box.right, part.right);
      box.bottom = Math.max(box.bottom, part.bottom);
    }
    if (["auto", "scroll"].includes(getComputedStyle(element).overflowX)) {
      const frame = element.getBoundingClientRect();
      box.left = Math.max(box.left, frame.left);
      box.right = Math.min(box.right, frame.right);
    }
    return box;
  };
  const overlap = (elements) => {
    const boxes = elements.filter(seen).map((element) => [element, written(element)]).filter(([, box]) => box.right > box.left);
    boxes.forEach(([one, a], index) => {
      for (const [other, b] of boxes.slice(index + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 2) faults.push(`${name(one)} lies on ${name(other)}`);
      }
    });
  };
  // An axis must stand above the rows that it measures.
  const inner = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + parseFloat(getComputedStyle(element).borderLeftWidth), box.right];
  };
  for (const axis of [...document.querySelectorAll(".axis")].filter(seen)) {
    const after = axis.closest(".after") ? ".after" : ":not(.after)";
    for (const plot of axis.closest("table").querySelectorAll(`tbody .plot${after}`)) {
      const [[a, b], [left, right]] = [inner(axis), inner(plot)];
      if (seen(plot) && Math.abs(a - left) + Math.abs(b - right) > 2) faults.push(`${name(axis)} is not above ${name(plot.parentElement)}`);
    }
  }
  for (const row of document.querySelectorAll("tr")) overlap([...row.cells]);
  for (const axis of document.querySelectorAll(".axis")) overlap([...axis.children]);
  for (const parent of document.querySelectorAll(".tile, .top, .top nav, #filters, .choice, fieldset, dl, figure")) overlap([...parent.children]);
  for (const element of document.querySelectorAll("body *")) {
    if (!seen(element) || scrolls(element) || !element.textContent.trim()) continue;
    const box = element.getBoundingClientRect();
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${name(element)} leaves the page`);
    if (getComputedStyle(element).overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) faults.push(`${name(element)} is cut`);
  }
  return faults;
}
