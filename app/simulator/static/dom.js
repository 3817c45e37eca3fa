// The few helpers with which the page is built.

export const byId = (id) => document.getElementById(id);

// Strings become text nodes, never markup.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(name, className = "") {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

export function button(className, label, children, onclick) {
  return el("button", { type: "button", class: className, "aria-label": label, title: label, onclick }, children);
}

export const hidden = (text) => el("span", { class: "hidden" }, text);

let lastNumber = 0;

// An id for an element that another one refers to.
export const newElementId = (prefix) => `${prefix}-${(lastNumber += 1)}`;
