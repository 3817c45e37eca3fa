// One person's phone: turns the simulator's events into messages, and keeps the newest in view.

import { byId, el, hidden } from "./dom.js";
import { newId, post } from "./api.js";
import { Composer } from "./composer.js";
import { renderMessage, updateMessage } from "./bubble.js";
import { openMenu } from "./menu.js";
import { nameOf } from "./message.js";
import { LANGUAGE, say } from "./texts.js";

const TYPING_MS = 25_000;
const NEAR_END_PX = 90;
const LONG_PRESS_MS = 480;
const FINGER_PX = 10;
const PROGRESS = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3 };
const FILES = ["image", "video", "audio", "document", "sticker"];

export class Chat {
  // `now()`: the time of the simulated world in milliseconds; `changed()`: something worth a preview happened;
  // `everybody()`: all who have a phone here.
  constructor(person, { now, changed, rename, everybody }) {
    this.person = person;
    this.now = now;
    this.changed = changed;
    this.rename = rename;
    this.everybody = everybody;
    this.messages = new Map();
    this.unsent = new Map(); // what the server has not confirmed: id → {request, shown}
    this.lastInboundAt = null;
    this.presence = "";
    this.build();
    this.forget();
  }

  build() {
    this.node = byId("chat").content.cloneNode(true).firstElementChild;
    const part = (selector) => this.node.querySelector(selector);
    this.parts = {
      scroll: part(".scroll"), log: part(".log"), typing: part(".typing-row"), empty: part(".empty"),
      down: part(".down"), presence: part(".presence"), seconds: part(".seconds"), owner: part(".owner"),
    };
    this.showName();
    this.parts.owner.addEventListener("click", () => this.rename(this.person));
    part(".stop").addEventListener("click", () => this.sendText("/cancel"));
    part(".examples").append(...exampleButtons((text) => this.sendText(text)));
    this.composer = new Composer(this);
    const { scroll, down, log } = this.parts;
    down.addEventListener("click", () => scroll.scrollTo({ top: scroll.scrollHeight, behavior: "smooth" }));
    scroll.addEventListener("scroll", () => {
      const top = scroll.scrollTop;
      const isNear = scroll.scrollHeight - top - scroll.clientHeight < NEAR_END_PX;
      // What arrives between two frames moves the end away; only going up means that the person looks elsewhere.
      if (isNear) this.isPinned = true;
      else if (top < this.lastTop) this.isPinned = false;
      this.lastTop = top;
      this.refresh();
    }, { passive: true });
    new ResizeObserver(() => this.refresh()).observe(scroll);
    log.addEventListener("load", () => this.refresh(), true);
    log.addEventListener("contextmenu", (event) => this.onContextMenu(event));
    log.addEventListener("keydown", (event) => this.onKey(event));
    scroll.addEventListener("keydown", (event) => event.target === scroll && this.enterLog(event));
    watchLongPress(log, (row) => this.openMenuOf(row));
  }

  showName() {
    const { name } = this.person;
    for (const node of [this.node, this.parts.scroll]) node.setAttribute("aria-label", say("chatOf", { name }));
    this.parts.owner.textContent = name;
    this.parts.owner.setAttribute("aria-label", say("renamePerson", { name }));
    this.parts.owner.title = say("renamePerson", { name });
  }

  forget() {
    Object.assign(this, { typingUntil: 0, workingSince: 0, lastDay: "", lastIsMine: null, isPinned: true, lastTop: 0, below: 0, lastInboundAt: null, unread: 0 });
    this.messages.clear();
    this.parts.log.replaceChildren();
    this.composer.setContext(null, null);
    for (const { shown } of this.unsent.values()) this.add(shown);
    this.refresh();
  }

  // ---- What happens

  apply(event) {
    this[`on_${event.kind}`]?.(event);
    this.changed(this);
    this.refresh();
  }

  on_inbound({ data, at }) {
    const { message } = data;
    this.lastInboundAt = at;
    if (message.type === "reaction") return this.react(message.reaction.message_id, "mine", message.reaction.emoji ?? "");
    if (message.type === "edit") {
      return this.change(message.edit.original_message_id, { text: message.edit.message.text?.body ?? "", isEdited: true });
    }
    if (message.type === "revoke") return this.change(message.revoke.original_message_id, { isRevoked: true });
    const choice = message.interactive?.[message.interactive.type];
    if (choice && message.context) this.change(message.context.id, { chosen: choice.id });
    const file = FILES.includes(message.type) ? { ...message[message.type], kind: message.type } : null;
    this.add({
      id: data.id, isMine: true, state: "sent", at, file, place: message.location ?? null, card: cardOf(message.contacts),
      text: message.text?.body ?? choice?.title ?? file?.caption ?? "",
      quoteId: message.context?.id, isText: message.type === "text",
    });
  }

  on_webhook({ data }) {
    const message = this.messages.get(data.id);
    if (data.status === 200) {
      this.unsent.delete(data.id);
      this.advance(message, "delivered");
    } else if (message && PROGRESS[message.state] < PROGRESS.delivered) {
      this.change(data.id, { state: "failed" });
    }
  }

  on_read({ data, at }) {
    for (const message of this.messages.values()) {
      if (message.isMine && message.state !== "failed") this.advance(message, "read");
      if (message.id === data.id) break;
    }
    if (!data.typing) return;
    this.workingSince ||= Date.parse(at);
    this.typingUntil = Date.parse(at) + TYPING_MS;
  }

  on_send({ data, at }) {
    this.typingUntil = 0;
    this.workingSince = 0;
    const { payload } = data;
    if (data.type === "reaction") return this.react(payload.reaction.message_id, "theirs", payload.reaction.emoji);
    const file = FILES.includes(data.type) ? { ...payload[data.type], kind: data.type } : null;
    this.add({
      id: data.id, isMine: false, text: data.text, at, file, interactive: payload.interactive,
      quoteId: payload.context?.message_id,
    });
    this.unread += this.isInView ? 0 : 1;
    this.below += this.isPinned ? 0 : 1;
  }

  on_status({ data }) {
    if (data.status === "failed") this.change(data.id, { isUndelivered: true, code: data.code });
  }

  add(message) {
    const known = this.messages.get(message.id);
    if (known) return this.change(message.id, this.differing(known, message));
    const day = new Date(message.at).toDateString();
    const isNewDay = day !== this.lastDay;
    if (isNewDay) this.parts.log.append(el("div", { class: "day" }, el("span", {}, dayName(message.at, this.now()))));
    const isTurn = isNewDay || message.isMine !== this.lastIsMine;
    Object.assign(this, { lastDay: day, lastIsMine: message.isMine });
    const sides = `row${message.isMine ? " mine" : ""}${isTurn ? " turn" : ""}`;
    message.row = el("div", { role: "article", class: sides, tabindex: "-1", "data-id": message.id });
    message.reactions = {};
    this.messages.set(message.id, message);
    this.parts.log.append(message.row);
    this.render(message);
  }

  change(id, values) {
    const message = this.messages.get(id);
    const keys = Object.keys(values);
    if (!message || !keys.length) return;
    Object.assign(message, values);
    this.render(message, keys);
  }

  // What the server says of a message that is shown already: mostly nothing new but its state.
  differing(known, message) {
    const isSame = (key) => JSON.stringify(known[key] ?? null) === JSON.stringify(message[key] ?? null);
    const shown = Object.entries(message).filter(([key]) => !["at", "file", "id"].includes(key) && !isSame(key));
    return Object.fromEntries(shown);
  }

  react(id, side, emoji) {
    const message = this.messages.get(id);
    if (message) this.change(id, { reactions: { ...message.reactions, [side]: emoji } });
  }

  advance(message, state) {
    if (message?.isMine && PROGRESS[state] > PROGRESS[message.state]) this.change(message.id, { state });
  }

  // ---- What is shown

  // `keys`: what has changed about a message that is shown; all of it when there are none.
  render(message, keys = []) {
    const { row } = message;
    row.classList.toggle("reacted", Object.values(message.reactions).some(Boolean));
    if (keys.length && updateMessage(message, this, keys)) return;
    const hadFocus = row !== document.activeElement && row.contains(document.activeElement);
    row.replaceChildren(hidden(`${nameOf(message)}: `), ...renderMessage(message, this));
    if (hadFocus) row.focus({ preventScroll: true });
  }

  refresh() {
    if (this.isRefreshAsked) return;
    this.isRefreshAsked = true;
    requestAnimationFrame(() => {
      this.isRefreshAsked = false;
      const { scroll, typing, empty, down, seconds } = this.parts;
      typing.hidden = !this.isTyping;
      seconds.textContent = this.isTyping ? say("seconds", { count: Math.max(0, Math.round((this.now() - this.workingSince) / 1000)) }) : "";
      empty.hidden = this.messages.size > 0;
      down.hidden = this.isPinned;
      if (this.isPinned) {
        this.below = 0;
        scroll.scrollTop = scroll.scrollHeight;
      }
      down.querySelector(".count").textContent = this.below || "";
      this.showPresence();
    });
  }

  get isTyping() {
    return this.typingUntil > this.now();
  }

  showPresence() {
    const text = this.isTyping ? say("typing") : this.presence;
    if (this.parts.presence.textContent !== text) this.parts.presence.textContent = text;
  }

  settle() {
    this.parts.log.setAttribute("aria-live", "polite");
  }

  get newest() {
    return [...this.messages.values()].at(-1);
  }

  jumpTo(message) {
    message.row.scrollIntoView({ block: "center", behavior: "smooth" });
    message.row.focus({ preventScroll: true });
    message.row.classList.add("flash");
    setTimeout(() => message.row.classList.remove("flash"), 1300);
  }

  // ---- What the person does

  sendText(text, quoteId = null) {
    this.send({ type: "text", text, quote_id: quoteId }, { text, quoteId, isText: true });
  }

  // Show a message at once, and send it.
  send(request, shown) {
    const id = newId();
    const message = { id, isMine: true, state: "pending", at: new Date(this.now()).toISOString(), text: "", ...shown };
    this.unsent.set(id, { request: { ...request, id }, shown: message });
    this.add(message);
    this.isPinned = true;
    this.refresh();
    return this.deliver(id);
  }

  async deliver(id) {
    const { request, shown } = this.unsent.get(id);
    if (await this.act(request)) return;
    shown.state = "failed";
    this.change(id, { state: "failed" });
  }

  retry(message) {
    if (!this.unsent.has(message.id)) {
      const request = { type: "text", text: message.text, quote_id: message.quoteId ?? null, id: message.id };
      this.unsent.set(message.id, { request, shown: message });
    }
    this.change(message.id, { state: "pending" });
    return this.deliver(message.id);
  }

  canRetry(message) {
    return this.unsent.has(message.id) || message.isText;
  }

  async act(request) {
    return (await post("/messages", { user: this.person.wa_id, ...request })) !== null;
  }

  openMenuOf(row) {
    const message = this.messages.get(row.dataset.id);
    if (message && !message.isRevoked) openMenu(message, this);
  }

  onContextMenu(event) {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("a, pre")) return;
    event.preventDefault();
    this.openMenuOf(row);
  }

  onKey(event) {
    if (!event.target.matches(".row")) return;
    const rows = [...this.parts.log.querySelectorAll(".row")];
    const at = rows.indexOf(event.target);
    const goals = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 };
    if (event.key in goals) rows[goals[event.key]]?.focus();
    else if (event.key === "Enter" || event.key === "ContextMenu") this.openMenuOf(event.target);
    else if (event.key === "Escape") this.composer.focus();
    else return;
    event.preventDefault();
  }

  enterLog(event) {
    if (event.key !== "ArrowUp" && event.key !== "Enter") return;
    event.preventDefault();
    this.newest?.row.focus();
  }
}

function cardOf(contacts) {
  if (!contacts?.length) return null;
  return { name: contacts[0].name.formatted_name, wa_id: contacts[0].phones?.[0]?.wa_id ?? "" };
}

function exampleButtons(send) {
  const texts = say("examples");
  return texts.map((text) => el("button", { type: "button", onclick: () => send(text) }, text));
}

function dayName(at, now) {
  const midnight = (date) => new Date(date).setHours(0, 0, 0, 0);
  const age = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (age < 2) return say(age < 1 ? "today" : "yesterday");
  return new Date(at).toLocaleDateString(LANGUAGE, { day: "numeric", month: "long", year: "numeric" });
}

function watchLongPress(log, open) {
  let timer = 0;
  let from = null;
  const stop = () => clearTimeout(timer);
  log.addEventListener("pointerdown", (event) => {
    const row = event.target.closest(".row");
    stop();
    from = event;
    if (row && event.pointerType === "touch") timer = setTimeout(() => open(row), LONG_PRESS_MS);
  });
  log.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (from && Math.hypot(clientX - from.clientX, clientY - from.clientY) > FINGER_PX) stop();
  }, { passive: true });
  for (const name of ["pointerup", "pointercancel"]) log.addEventListener(name, stop);
}
