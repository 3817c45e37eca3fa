// The page: whose phone is in view, what the server says, and the drawer beside it.

import { get, post, Stream } from "./api.js";
import { Chat } from "./chat.js";
import { byId, el, hidden, icon } from "./dom.js";
import { Laboratory } from "./lab.js";
import { startMenus } from "./menu.js";
import { ASSISTANT, excerpt } from "./message.js";
import { duration, LANGUAGE, say, switchLanguage, timeOf } from "./texts.js";

const BOTH = "both";
const WIDE = matchMedia("(min-width: 1000px)");
const RETRY_MS = 2000;

class Page {
  constructor(state) {
    this.offsetMs = 0;
    this.now = () => Date.now() + this.offsetMs;
    this.facts = {};
    this.chats = new Map(state.users.map((person) => [person.wa_id, this.newChat(person)]));
    this.lab = new Laboratory({ chats: this.chats, now: this.now, inView: () => this.inView });
    this.stream = new Stream({
      event: (event) => this.onEvent(event),
      wire: (exchange) => this.lab.addExchange(exchange),
      facts: (facts) => this.showFacts(facts),
      controls: (controls) => this.showControls(controls),
      settled: () => this.onSettled(),
      opened: () => { byId("offline").hidden = true; },
      lost: () => this.onLost(),
      restarted: () => this.chats.forEach((chat) => chat.forget()),
    });
    byId("chats").append(...[...this.chats.values()].map((chat) => chat.node));
    this.choosePeople(state.users);
    this.listen();
    const kept = sessionStorage.getItem("view");
    this.view(this.chats.has(kept) || kept === BOTH ? kept : state.users[0].wa_id, state);
  }

  newChat(person) {
    return new Chat(person, { now: this.now, changed: (chat) => this.onChange(chat), rename: (one) => this.askName(one), everybody: () => [...this.chats.values()].map((one) => one.person) });
  }

  listen() {
    byId("add-person").addEventListener("click", () => this.askName(null));
    byId("person-form").addEventListener("submit", (event) => this.saveName(event));
    byId("person-remove").addEventListener("click", () => this.removePerson(this.named));
    byId("language").textContent = LANGUAGE === "es" ? "EN" : "ES";
    byId("language").lang = LANGUAGE === "es" ? "en" : "es";
    byId("language").addEventListener("click", switchLanguage);
    byId("theme").addEventListener("click", () => switchTheme());
    byId("lab-open").addEventListener("click", () => this.lab.toggle());
    byId("unusual").addEventListener("click", () => this.lab.open(this.controls?.faults.length ? "faults" : "clock"));
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.querySelector(".close").addEventListener("click", () => dialog.close());
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    }
    WIDE.addEventListener("change", () => this.view(this.chosen));
    setInterval(() => this.chats.forEach((chat) => chat.typingUntil && chat.refresh()), 1000);
  }

  // ---- Whose phone

  choosePeople(users) {
    this.previews = new Map();
    byId("people").append(...users.map((person) => this.phoneOf(person)));
    const both = this.choice(BOTH, say("sideBySide"), el("span", { class: "face", "aria-hidden": "true" }, icon("columns")));
    both.classList.add("both");
    byId("people").append(both);
  }

  choice(value, name, ...more) {
    return el(
      "label", { class: "person" },
      el("input", { type: "radio", name: "person", value, onchange: () => this.view(value) }),
      ...more, el("span", { class: "name" }, name),
    );
  }

  phoneOf(person) {
    const preview = { text: el("span", { class: "preview" }), time: el("time", {}), unread: el("span", { class: "unread", hidden: true }) };
    const label = this.choice(person.wa_id, person.name, el("span", { class: "face", "aria-hidden": "true" }, [...person.name][0]));
    label.append(preview.time, preview.text, preview.unread);
    this.previews.set(person.wa_id, { ...preview, label });
    return label;
  }

  // `person`: who gets another name; null for somebody new.
  askName(person) {
    this.named = person;
    byId("person-title").textContent = person ? say("renamePerson", { name: person.name }) : say("addPerson");
    byId("person-name").value = person?.name ?? "";
    byId("person-problem").hidden = true;
    byId("person-going").hidden = !person?.is_added;
    byId("person").showModal();
    byId("person-name").select();
  }

  async saveName(event) {
    event.preventDefault();
    const known = this.named;
    const person = await post(known ? `/people/${known.wa_id}` : "/people", { name: byId("person-name").value });
    byId("person-problem").hidden = person !== null;
    byId("person-problem").textContent = person ? "" : say("personFailed");
    if (!person) return;
    byId("person").close();
    if (known) this.showName(person);
    else this.addPerson(person);
  }

  addPerson(person) {
    const chat = this.newChat(person);
    this.chats.set(person.wa_id, chat);
    byId("chats").append(chat.node);
    byId("people").querySelector(".both").before(this.phoneOf(person));
    chat.settle();
    this.view(person.wa_id);
  }

  async removePerson({ wa_id }) {
    if (!await post(`/people/${wa_id}/remove`, {})) return;
    byId("person").close();
    this.chats.get(wa_id).node.remove();
    this.previews.get(wa_id).label.remove();
    this.chats.delete(wa_id);
    this.previews.delete(wa_id);
    this.view(this.chats.keys().next().value);
  }

  showName(person) {
    const chat = this.chats.get(person.wa_id);
    chat.person.name = person.name;
    chat.showName();
    const { label } = this.previews.get(person.wa_id);
    label.querySelector(".name").textContent = person.name;
    label.querySelector(".face").textContent = [...person.name][0];
    this.lab.showPeople();
  }

  get inView() {
    if (this.chosen === BOTH && WIDE.matches) return [...this.chats.keys()];
    return [this.chats.has(this.chosen) ? this.chosen : this.chats.keys().next().value];
  }

  view(chosen, state = null) {
    this.chosen = chosen;
    sessionStorage.setItem("view", chosen);
    const shown = this.inView;
    for (const input of document.querySelectorAll("input[name=person]")) {
      input.checked = input.value === (shown.length > 1 ? BOTH : shown[0]);
    }
    for (const [person, chat] of this.chats) {
      chat.isInView = shown.includes(person);
      chat.node.hidden = !chat.isInView;
      if (chat.isInView) chat.unread = 0;
      chat.parts.log.setAttribute("aria-live", "off");
      this.preview(chat);
      chat.refresh();
    }
    this.lab.showPeople();
    this.stream.open([...this.chats.keys()], shown, state);
    if (WIDE.matches) this.chats.get(shown[0]).composer.focus();
  }

  preview(chat) {
    const { text, time, unread } = this.previews.get(chat.person.wa_id);
    const { newest } = chat;
    text.replaceChildren(...(newest ? [newest.isMine ? "" : hidden(`${ASSISTANT}: `), excerpt(newest)] : []));
    time.textContent = newest ? timeOf(newest.at) : "";
    unread.hidden = !chat.unread;
    unread.replaceChildren(...(chat.unread ? [el("span", { "aria-hidden": "true" }, String(chat.unread)), hidden(say("unread", { count: chat.unread }))] : []));
  }

  // ---- What the server says

  onEvent(event) {
    this.chats.get(event.user)?.apply(event);
    this.lab.onEvent(event);
  }

  onChange(chat) {
    if (chat.isInView && this.isSettled) chat.unread = 0;
    this.preview(chat);
  }

  onSettled() {
    for (const chat of this.chats.values()) {
      if (!this.isSettled) chat.unread = 0;
      chat.settle();
      this.preview(chat);
    }
    this.isSettled = true;
  }

  onLost() {
    byId("offline").textContent = say("offline");
    byId("offline").hidden = false;
  }

  showControls(controls) {
    this.controls = controls;
    this.offsetMs = (controls.offset_s ?? 0) * 1000;
    const count = controls.faults.length;
    const parts = [
      count > 0 && (count === 1 ? say("oneFaultOn") : say("faultsOn", { count })),
      controls.offset_s > 0 && say("clockAhead", { duration: duration(controls.offset_s) }),
    ].filter(Boolean);
    byId("unusual").hidden = !parts.length;
    byId("unusual").textContent = parts.join(" · ");
    byId("unusual").classList.toggle("warn", count > 0);
    this.lab.showControls(controls);
    this.chats.forEach((chat) => chat.refresh());
  }

  showFacts(facts) {
    const { state, progress, detail = "", model } = facts;
    const hasProgress = state === "fetching" && progress !== undefined;
    const percent = Math.floor(Number(progress) * 100);
    const key = state === "fetching" && !hasProgress ? "fetchingUnknown" : state;
    byId("model").hidden = !["fetching", "loading", "unavailable"].includes(state);
    byId("model").classList.toggle("warn", state === "unavailable");
    byId("model-text").textContent = byId("model").hidden ? "" : say(key, { percent, detail });
    byId("model-progress").hidden = !hasProgress;
    if (hasProgress) byId("model-progress").value = Number(progress);
    const presence = [state === "ready" ? say("ready") : "", model].filter(Boolean).join(" · ");
    for (const chat of this.chats.values()) {
      chat.presence = presence;
      chat.showPresence();
    }
  }
}

function switchTheme(theme = isDark() ? "light" : "dark") {
  localStorage.setItem("theme", theme);
  showTheme(theme);
}

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function showTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const label = say(isDark() ? "toLight" : "toDark");
  byId("theme").replaceChildren(icon(isDark() ? "sun" : "moon"));
  byId("theme").setAttribute("aria-label", label);
  byId("theme").title = label;
}

function translate(root) {
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = say(node.dataset.text);
  for (const node of root.querySelectorAll("[data-placeholder]")) node.placeholder = say(node.dataset.placeholder);
  for (const node of root.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", say(node.dataset.label));
    if (node.matches("button")) node.title = say(node.dataset.label);
  }
}

async function start() {
  document.documentElement.lang = LANGUAGE;
  showTheme(localStorage.getItem("theme"));
  translate(document);
  translate(byId("chat").content);
  startMenus();
  let state = await get("/state");
  while (!state) {
    byId("offline").textContent = say("offline");
    byId("offline").hidden = false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    state = await get("/state");
  }
  return new Page(state);
}

start();
