// Accessibility checks that need only the rendered page. Returns one line for each fault.
(() => {
  "use strict";
  const faults = [];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const describe = (element) => {
    const id = element.id ? "#" + element.id : "";
    const name = element.getAttribute("name") ? `[name=${element.getAttribute("name")}]` : "";
    return element.tagName.toLowerCase() + id + name + ` "${element.textContent.trim().slice(0, 40)}"`;
  };
  const fault = (element, text) => faults.push(`${element ? describe(element) + ": " : ""}${text}`);
  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

  // The document.
  if (!document.documentElement.lang) fault(null, "no language");
  if (!document.title.trim()) fault(null, "no title");
  if (all("main").length !== 1) fault(null, `${all("main").length} main landmarks`);
  if (all("header").length !== 1) fault(null, `${all("header").length} banners`);
  const skip = document.querySelector("body a");
  if (!skip || !document.querySelector(skip.getAttribute("href"))) fault(skip, "the first link does not lead to the content");

  // Headings.
  const headings = all("h1, h2, h3, h4, h5, h6").filter(visible);
  if (headings.filter((h) => h.tagName === "H1").length !== 1) fault(null, "not exactly one h1");
  let level = 0;
  for (const h of headings) {
    const next = Number(h.tagName[1]);
    if (next > level + 1) fault(h, `a heading of level ${next} follows one of level ${level}`);
    if (!h.textContent.trim()) fault(h, "an empty heading");
    level = next;
  }

  // Ids, and references to them.
  const ids = new Map();
  for (const element of all("[id]")) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
  for (const [id, n] of ids) if (n > 1 || !id) fault(null, `the id "${id}" is there ${n} times`);
  for (const attribute of ["for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form", "data-copy"]) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) fault(element, `${attribute} refers to "${id}", which is not there`);
      }
    }
  }

  // Names.
  const nameOf = (element) => {
    const by = element.getAttribute("aria-labelledby");
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    if (element.getAttribute("aria-label")) return element.getAttribute("aria-label").trim();
    if (element.labels?.length) return [...element.labels].map((label) => label.textContent).join(" ").trim();
    if (element.matches("input, select, textarea")) return "";
    return (element.textContent + all("img", element).map((image) => image.alt).join(" ")).trim();
  };
  for (const element of all("input:not([type=hidden]), select, textarea, button, a[href], summary")) {
    if (!nameOf(element)) fault(element, "no accessible name");
  }
  for (const element of all("[role=region], [role=search]")) if (!nameOf(element)) fault(element, "a landmark without a name");
  for (const group of [all("nav"), all("form[role=search]"), all("[role=region]")]) {
    const names = group.map((element) => element.getAttribute("aria-label"));
    if (names.some((name) => !name) || new Set(names).size !== names.length) fault(group[0], "landmarks of a kind need different names: " + names);
  }
  for (const image of all("img")) if (!image.hasAttribute("alt")) fault(image, "no alt");
  for (const field of all("fieldset")) if (!field.querySelector("legend")?.textContent.trim()) fault(field, "a group without a legend");

  // Tables.
  for (const table of all("table")) {
    if (!table.tHead) fault(table, "no header row");
    for (const th of all("th", table)) if (!["col", "row"].includes(th.scope)) fault(th, "no scope");
  }

  // The keyboard.
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) fault(element, "a positive tabindex");
  for (const element of all("a, button, summary, label")) {
    if (element.querySelector("a[href], button, select, textarea")) fault(element, "a control within a control");
  }
  for (const element of all("div, pre, table, nav, main, section").filter(visible)) {
    const style = getComputedStyle(element);
    const scrolls = element.scrollWidth > element.clientWidth + 1 && ["auto", "scroll"].includes(style.overflowX);
    if (scrolls && element.tabIndex < 0 && !element.querySelector("a[href], button, input, select, textarea")) fault(element, "it scrolls, and the keyboard cannot get at it");
  }

  // Colours. Every background here is either opaque or transparent.
  const rgb = (text) => {
    const canvas = rgb.canvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const color = rgb(getComputedStyle(element).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const checkText = (element, color, text) => {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(rgb(color), ground(element));
    if (ratio < (large ? 3 : 4.5)) fault(element, `contrast of ${ratio.toFixed(2)} for "${text.trim().slice(0, 30)}"`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.nodeValue.trim() || !visible(element) || element.closest("option, datalist, script")) continue;
    checkText(element, getComputedStyle(element).color, node.nodeValue);
  }
  for (const field of all("input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea").filter(visible)) {
    const style = getComputedStyle(field);
    checkText(field, style.color, field.value || "value");
    if (field.placeholder) checkText(field, getComputedStyle(field, "::placeholder").color, field.placeholder);
    const edge = contrast(rgb(style.borderTopColor), ground(field.parentElement));
    if (edge < 3) fault(field, `its edge has a contrast of ${edge.toFixed(2)}`);
  }

  // Sizes: nothing is wider than the screen, and tap targets are large enough.
  const root = document.scrollingElement;
  if (root.scrollWidth > innerWidth) fault(null, `the page is ${root.scrollWidth} wide, the screen ${innerWidth}`);
  for (const element of all("button, select, textarea, input:not([type=hidden])").filter(visible)) {
    const box = (element.matches("[type=checkbox], [type=radio]") && element.closest("label, td") || element).getBoundingClientRect();
    if (box.height < 24 || box.width < 24) fault(element, `only ${Math.round(box.width)} × ${Math.round(box.height)} to tap`);
  }
  return faults;
})();
