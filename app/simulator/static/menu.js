// The menus that open beside what they are about: of a message, and of the paper clip.

import { byId, el, icon } from "./dom.js";
import { say } from "./texts.js";

const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏", "👎"];
const EDGE_PX = 8;

// `items`: [icon name, label, action]; `first`: what stands above them.
function open(anchor, items, first = null) {
  const menu = byId("menu");
  const entries = items.map(([name, label, action]) => el(
    "button", { type: "button", role: "menuitem", class: name === "trash" ? "danger" : "", onclick: () => choose(action) }, icon(name), label,
  ));
  menu.replaceChildren(...[first, ...entries].filter(Boolean));
  if (!menu.matches(":popover-open")) menu.showPopover();
  place(menu, anchor.getBoundingClientRect());
  menu.opener = document.activeElement === document.body ? null : anchor;
  menu.querySelector("button").focus();
}

function choose(action) {
  byId("menu").hidePopover();
  action();
}

function place(menu, anchor) {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = anchor.bottom + 4;
  const top = below + height < innerHeight - EDGE_PX ? below : Math.max(EDGE_PX, anchor.top - height - 4);
  const left = Math.min(Math.max(EDGE_PX, anchor.right - width), innerWidth - width - EDGE_PX);
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
}

export function openMenu(message, chat) {
  const mine = message.reactions.mine;
  const react = (emoji) => chat.act({ type: "reaction", message_id: message.id, emoji: emoji === mine ? "" : emoji });
  const emojis = el("div", { class: "emojis", role: "group" }, EMOJIS.map((emoji) => el("button", {
    type: "button", role: "menuitemradio", "aria-checked": String(emoji === mine), "aria-label": say("react", { emoji }),
    onclick: () => choose(() => react(emoji)),
  }, emoji)));
  const items = [["reply", say("reply"), () => chat.composer.setContext("quote", message)]];
  if (message.text) items.push(["copy", say("copy"), () => navigator.clipboard?.writeText(message.text).catch(() => null)]);
  if (message.isMine && message.isText) items.push(["edit", say("edit"), () => chat.composer.setContext("editing", message)]);
  if (message.isMine) items.push(["trash", say("remove"), () => chat.act({ type: "revoke", message_id: message.id })]);
  const bubble = message.row.querySelector(".bubble");
  open(message.row.querySelector(".more") ?? bubble, items, emojis);
}

export const openItems = open;

// Something to choose from many, in groups: `rows` have a title, and may have an id and a description.
export function openChoices(title, sections, pick, chosenId = null) {
  const choice = (row) => el("button", {
    type: "button", class: "option", "aria-pressed": String(Boolean(row.id) && row.id === chosenId),
    onclick: () => {
      byId("list").close();
      pick(row);
    },
  }, el("span", {}, row.title, row.description ? el("small", {}, row.description) : null));
  byId("list-title").textContent = title;
  byId("list-rows").replaceChildren(...sections.flatMap((section) => [section.title ? el("h3", {}, section.title) : "", ...section.rows.map(choice)]));
  byId("list").showModal();
}

// Arrow keys walk through the open menu; the browser closes it on Escape.
export function startMenus() {
  byId("menu").addEventListener("keydown", (event) => {
    const entries = [...byId("menu").querySelectorAll("button")];
    const at = entries.indexOf(document.activeElement);
    const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    entries[(at + steps[event.key] + entries.length) % entries.length].focus();
  });
}
