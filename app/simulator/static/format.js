// Text as WhatsApp shows it: *bold*, _italic_, ~struck~, `code`, blocks, lists and quotations.

import { el } from "./dom.js";

const TAGS = { "*": "strong", _: "em", "~": "s" };
const MAX_DEPTH = 2;
const isWordChar = (char) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
const isSpace = (char) => char === undefined || /\s/.test(char);

export function formatted(text) {
  const box = el("div", { class: "text", dir: "auto" });
  text.split(/```([\s\S]+?)```/).forEach((part, index) => {
    if (index % 2) box.append(el("pre", { tabindex: "0" }, el("code", {}, part.replace(/^\n|\n$/g, ""))));
    else formatLines(part.replace(/^\n+|\n+$/g, ""), box);
  });
  return box;
}

// The words alone, on one line.
export function plain(text) {
  const box = formatted(text);
  for (const block of box.querySelectorAll("li, li > span, pre, blockquote")) block.append(" ");
  return box.textContent.replace(/\s+/g, " ").trim();
}

// Blank lines next to a list or a quotation are left to their margins.
function formatLines(text, box) {
  let block = null;
  let wasPlain = false;
  for (const line of text.split("\n")) {
    const item = /^( *)([-*•]|\d{1,3}[.)]) +(.*)$/.exec(line);
    const quoted = /^> ?(.*)$/.exec(line);
    const kind = item ? "UL" : quoted ? "BLOCKQUOTE" : "";
    if (kind && block?.tagName !== kind) block = box.appendChild(el(kind));
    if (item) {
      const depth = Math.min(MAX_DEPTH, Math.floor(item[1].length / 2));
      const marker = /\d/.test(item[2]) ? item[2] : "•";
      block.append(el("li", { "data-depth": String(depth) }, el("span", {}, marker), formatInline(item[3], el("span"))));
    } else if (quoted) {
      if (block.hasChildNodes()) block.append("\n");
      formatInline(quoted[1], block);
    } else if (line.trim() || wasPlain) {
      if (wasPlain) box.append("\n");
      formatInline(line, box);
      block = null;
    }
    wasPlain = !kind && (wasPlain || line.trim() !== "");
  }
}

// A marker opens after a non-word character and before a non-space; it closes the other way round.
function formatInline(text, parent) {
  const unclosed = new Set();
  let from = 0;
  let at = 0;
  const put = (end, node, next) => {
    if (end > from) parent.append(text.slice(from, end));
    if (node) parent.append(node);
    from = at = next;
  };
  while (at < text.length) {
    const char = text[at];
    const isFresh = !isWordChar(text[at - 1]);
    const url = char === "h" && isFresh && /^https?:\/\/[^\s<>"]+/.exec(text.slice(at, at + 2048));
    if (url) {
      const address = url[0].replace(/[.,;:!?)\]}'*_~]+$/, "");
      put(at, el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address), at + address.length);
      continue;
    }
    if ((char === "`" || (TAGS[char] && isFresh)) && !isSpace(text[at + 1]) && text[at + 1] !== char && !unclosed.has(char)) {
      const end = closing(text, at);
      if (end > 0) {
        const inner = text.slice(at + 1, end);
        put(at, char === "`" ? el("code", {}, inner) : formatInline(inner, el(TAGS[char])), end + 1);
        continue;
      }
      unclosed.add(char);
    }
    at += 1;
  }
  put(text.length, null, text.length);
  return parent;
}

function closing(text, start) {
  const marker = text[start];
  for (let end = text.indexOf(marker, start + 2); end > 0; end = text.indexOf(marker, end + 1)) {
    if (marker === "`" || (!isSpace(text[end - 1]) && !isWordChar(text[end + 1]))) return end;
  }
  return -1;
}
