// One message on the screen.

import { attachment, contactCard, locationCard } from "./attachment.js";
import { button, el, hidden, icon } from "./dom.js";
import { formatted } from "./format.js";
import { openChoices, openMenu } from "./menu.js";
import { excerpt, nameOf } from "./message.js";
import { say, timeOf } from "./texts.js";
import { mediaUrl } from "./api.js";

const MARKS = { pending: "clock", sent: "tick", delivered: "ticks", read: "ticks", failed: "failed" };
const PX_PER_CHAR = 6.4;

export function renderMessage(message, chat) {
  if (message.isRevoked) {
    const gone = el("div", { class: "gone" }, say(message.isMine ? "deletedMine" : "deleted"));
    return [el("div", { class: "bubble" }, gone, meta(message))];
  }
  const emojis = Object.values(message.reactions).filter(Boolean);
  const kind = message.file ? ` has-${message.file.kind}` : message.place || message.card ? " has-place" : "";
  const bubble = el(
    "div", { class: `bubble${kind}${message.text ? "" : " bare"}` },
    quoteOf(message, chat), ...content(message), meta(message), choices(message, chat),
    button("more", say("menu"), icon("chevron"), () => openMenu(message, chat)),
    reactionsOf(emojis), thumbs(message, chat),
  );
  return [bubble, failure(message, chat)].filter(Boolean);
}

// Whether an answer was good: a reaction like any other, which the service keeps with the turn.
function thumbs(message, chat) {
  if (message.isMine) return null;
  const given = message.reactions.mine;
  return el("div", { class: "thumbs" }, [["👍", "thumbUp"], ["👎", "thumbDown"]].map(([emoji, name]) => el("button", {
    type: "button", "aria-pressed": String(given === emoji), "aria-label": say(name), title: say(name),
    onclick: () => chat.act({ type: "reaction", message_id: message.id, emoji: given === emoji ? "" : emoji }),
  }, emoji)));
}

// What changes often is changed in place: a voice goes on speaking, and a click is not lost, when a tick arrives.
export function updateMessage(message, chat, keys) {
  const { row } = message;
  const bubble = row.querySelector(".bubble");
  if (message.isRevoked || !keys.every((key) => key === "state" || key === "reactions")) return false;
  row.querySelector(".meta").replaceWith(meta(message));
  row.querySelector(".failure")?.remove();
  row.querySelector(".reactions")?.remove();
  bubble.append(...[reactionsOf(Object.values(message.reactions).filter(Boolean))].filter(Boolean));
  const fresh = thumbs(message, chat);
  const old = row.querySelector(".thumbs");
  const focused = [...(old?.children ?? [])].indexOf(document.activeElement);
  if (old && keys.includes("reactions")) old.replaceWith(fresh);
  if (focused >= 0) fresh.children[focused].focus({ preventScroll: true });
  row.append(...[failure(message, chat)].filter(Boolean));
  return true;
}

function content(message) {
  const { header, footer } = message.interactive ?? {};
  const text = message.text ? formatted(message.text) : null;
  if (text) makeRoom(text, message);
  return [
    header ? el("div", { class: "head" }, header.text) : null,
    message.file ? attachment(message.file) : null,
    message.place ? locationCard(message.place) : null,
    message.card ? contactCard(message.card) : null,
    text,
    footer ? el("div", { class: "foot" }, footer.text) : null,
  ];
}

// Time and ticks stand at the end of the last line where there is room for them.
function makeRoom(text, message) {
  const last = text.lastChild;
  if (message.interactive || last?.matches?.("ul, blockquote, pre")) return text.classList.add("closed");
  const room = el("span", { class: "room" });
  const chars = 5 + (message.isEdited ? say("edited").length + 1 : 0);
  room.style.width = `${Math.ceil(chars * PX_PER_CHAR + (message.isMine || message.isUndelivered ? 28 : 8))}px`;
  return text.append(room);
}

function quoteOf(message, chat) {
  const quoted = chat.messages.get(message.quoteId);
  if (!quoted) return null;
  const picture = quoted.file?.kind === "image" && !quoted.isRevoked
    ? el("img", { src: mediaUrl(quoted.file.id), alt: "" }) : null;
  return el(
    "button", {
      type: "button", class: `quote${quoted.isMine ? " of-mine" : ""}`, title: say("showQuoted"),
      onclick: () => chat.jumpTo(quoted),
    },
    el("span", { class: "words" }, el("strong", {}, nameOf(quoted)), el("span", {}, excerpt(quoted))), picture,
  );
}

function meta(message) {
  const box = el("div", { class: "meta" });
  if (message.isEdited && !message.isRevoked) box.append(say("edited"), " ");
  box.append(el("time", { datetime: message.at }, timeOf(message.at)));
  if (message.isMine) {
    const name = MARKS[message.state];
    box.append(icon(name, `${message.state}${name === "ticks" ? " wide" : ""}`), hidden(say(message.state)));
  } else if (message.isUndelivered) {
    box.append(icon("failed", "failed"));
  }
  return box;
}

function reactionsOf(emojis) {
  if (!emojis.length) return null;
  const text = [...new Set(emojis)].join("");
  return el("span", { class: "reactions", role: "img", "aria-label": say("reactions", { emojis: text }) },
    text, emojis.length > 1 ? el("b", {}, String(emojis.length)) : null);
}

function failure(message, chat) {
  if (message.isUndelivered) {
    return el("div", { class: "failure" }, icon("failed"), say("undelivered", { code: message.code ?? "?" }));
  }
  if (message.state !== "failed") return null;
  const retry = chat.canRetry(message)
    ? el("button", { type: "button", onclick: () => chat.retry(message) }, say("retry")) : null;
  return el("div", { class: "failure" }, icon("failed"), say("notDelivered"), retry);
}

function choices(message, chat) {
  if (!message.interactive) return null;
  const { type, action } = message.interactive;
  if (type === "list") {
    const open = () => openList(message, chat);
    return el("div", { class: "choices" },
      el("button", { type: "button", "aria-haspopup": "dialog", onclick: open }, icon("list"), action.button));
  }
  return el("div", { class: "choices" }, action.buttons.map(({ reply }) => el("button", {
    type: "button", "aria-pressed": String(message.chosen === reply.id),
    onclick: () => chat.send(
      { type: "button", button_id: reply.id, title: reply.title, quote_id: message.id },
      { text: reply.title, quoteId: message.id },
    ),
  }, icon("reply"), reply.title)));
}

function openList(message, chat) {
  const { sections, button: label } = message.interactive.action;
  openChoices(label, sections, (row) => chat.send(
    { type: "list", row_id: row.id, title: row.title, description: row.description ?? "", quote_id: message.id },
    { text: row.title, quoteId: message.id },
  ), message.chosen);
}
