// Evaluated in a page: what a reader would find broken, as a list of texts. All rows are opened first.
(() => {
  const found = [];
  const say = (what, element) => {
    const name = element.id || element.className?.baseVal || element.className || element.tagName;
    found.push(`${what}: ${name}: ${(element.textContent || "").trim().slice(0, 60)}`);
  };
  for (const row of document.querySelectorAll("details")) row.open = true;
  const root = document.documentElement, slack = 1.5;  // pixels that layout rounds
  if (root.scrollWidth > root.clientWidth + 0.5) found.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);

  const box = element => element.getBoundingClientRect();
  const shown = element => box(element).width > 0 && box(element).height > 0;
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("svg,math,script") || !shown(element) || getComputedStyle(element).position === "fixed") continue;
    const own = box(element), around = box(element.parentElement);
    if (own.right > around.right + slack || own.left < around.left - slack) say("wider than what it stands in", element);
    if (element.scrollWidth > element.clientWidth + slack && getComputedStyle(element).display === "block")
      say("its content is wider", element);
  }
  for (const name of document.querySelectorAll("summary > .name"))
    for (const cell of name.parentElement.querySelectorAll(".cell"))
      if (box(cell).top < box(name).top - slack && box(cell).left < box(name).right) say("a cell above its name", name);
  for (const number of document.querySelectorAll(".numbers b")) {
    const one = !number.textContent.includes(" "), line = parseFloat(getComputedStyle(number).lineHeight);
    if (one && box(number).height > 1.5 * line) say("a number over two lines", number);
  }
  for (const formula of document.querySelectorAll("math"))
    if (box(formula).right > box(formula.closest("p,dd,td,span,figcaption")).right + slack) say("formula too wide", formula);

  // A line of an axis that is seen through a text strikes it; a halo hides what is behind the text.
  const struck = (text, line) => {
    const a = box(text), b = box(line), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return !text.classList.contains("halo") && high > 0.5 * a.height && b.left > a.left + slack && b.right < a.right - slack;
  };
  const within = (text, grid) => {
    const a = box(text), b = box(grid);
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.25 * a.height;
  };
  for (const picture of document.querySelectorAll("svg.plot")) {
    for (const grid of picture.querySelectorAll("path.grid"))
      for (const text of picture.querySelectorAll("text")) if (within(text, grid)) say("text in a grid", text);
    for (const line of picture.querySelectorAll("line.grid,line.border"))
      for (const text of picture.querySelectorAll("text")) if (struck(text, line)) say("a line through text", text);
    if (picture.getAttribute("role") !== "img" || !picture.getAttribute("aria-label") || picture.tabIndex !== 0)
      say("no accessible name, or not reached by keys", picture);
    const marks = [...picture.querySelectorAll("circle,rect,path")].filter(mark => mark.querySelector(":scope > title"));
    const words = picture.textContent.includes("No figure:");
    if (!marks.length && !words) say("no mark", picture);
    const size = box(picture), texts = [...picture.querySelectorAll("text")].map(text => [box(text), text]);
    for (const [own, text] of texts)
      if (own.left < size.left - slack || own.right > size.right + slack || own.bottom > size.bottom + slack)
        say("text out of its picture", text);
    for (let i = 0; i < texts.length; ++i)
      for (let j = i + 1; j < texts.length; ++j) {
        const [a, one] = texts[i], [b] = texts[j];
        // The box of a text is as high as its font; letters reach over four fifths of it.
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.25 * Math.min(a.height, b.height);
        if (high && Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack) say("text over another", one);
      }
  }

  // Luminance and contrast: WCAG 2.1, "relative luminance" and "contrast ratio".
  const channels = colour => colour.match(/[\d.]+/g).map(Number);
  const luminance = colour => channels(colour).slice(0, 3)
    .map(value => value / 255)
    .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, k) => sum + value * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255,255,255)";
  };
  let least = 21;
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("script,title") || !shown(element)) continue;
    const style = getComputedStyle(element);
    const words = luminance(element.closest("svg") ? style.fill : style.color), behind = luminance(ground(element));
    const contrast = (Math.max(words, behind) + 0.05) / (Math.min(words, behind) + 0.05);
    least = Math.min(least, contrast);
    if (contrast < 4.5) say(`contrast ${contrast.toFixed(2)}`, element);
  }

  // What the reader can read, without what the script adds.
  const texts = document.body.cloneNode(true);
  for (const added of texts.querySelectorAll("script,.filter,.tip")) added.remove();
  return {width: innerWidth, found: [...new Set(found)].slice(0, 40), pictures: document.querySelectorAll("svg.plot").length,
          contrast: least, text: texts.textContent.replace(/\s+/g, " ")};
})()
