// The chat page: turns the simulator's events into bubbles, and what the person does into API calls.

const TEXTS = {
  en: {
    writeAs: "Write as", message: "Message", placeholder: "Write a message", send: "Send", cancel: "Cancel",
    close: "Close", toNewest: "Go to the newest message", typing: "typing…", ready: "ready", you: "You",
    reply: "Reply", more: "More", edit: "Edit", remove: "Delete for everyone", react: "React with {emoji}",
    edited: "edited", deleted: "This message was deleted.", today: "Today", yesterday: "Yesterday",
    replyingTo: "Replying to {name}", editing: "Editing your message", showQuoted: "Go to the quoted message",
    pending: "sending", sent: "sent", delivered: "delivered", read: "read", failed: "failed",
    notDelivered: "The assistant did not take it.", undelivered: "Not delivered (error {code}).", retry: "Try again",
    offline: "Connection lost. Trying again…", fetching: "Downloading the model: {percent} %",
    fetchingUnknown: "Downloading the model…", loading: "The model is waking up…",
    unavailable: "The model is not available. {detail}", photo: "Photo", file: "File",
    emptyTitle: "Talk to your assistant",
    emptyText: "This chat is simulated: nothing goes to WhatsApp, and no account is needed. " +
      "Every message takes the same way through the assistant as a real one. For example:",
    examples: ["/help", "Explain in two sentences what a webhook is", "Suggest three dinners with rice and eggs"],
  },
  es: {
    writeAs: "Escribir como", message: "Mensaje", placeholder: "Escribe un mensaje", send: "Enviar", cancel: "Cancelar",
    close: "Cerrar", toNewest: "Ir al último mensaje", typing: "escribiendo…", ready: "listo", you: "Tú",
    reply: "Responder", more: "Más", edit: "Editar", remove: "Eliminar para todos", react: "Reaccionar con {emoji}",
    edited: "editado", deleted: "Se eliminó este mensaje.", today: "Hoy", yesterday: "Ayer",
    replyingTo: "En respuesta a {name}", editing: "Editando tu mensaje", showQuoted: "Ir al mensaje citado",
    pending: "enviando", sent: "enviado", delivered: "entregado", read: "leído", failed: "falló",
    notDelivered: "El asistente no lo recibió.", undelivered: "No entregado (error {code}).", retry: "Reintentar",
    offline: "Se perdió la conexión. Reintentando…", fetching: "Descargando el modelo: {percent} %",
    fetchingUnknown: "Descargando el modelo…", loading: "El modelo está despertando…",
    unavailable: "El modelo no está disponible. {detail}", photo: "Foto", file: "Archivo",
    emptyTitle: "Habla con tu asistente",
    emptyText: "Este chat es simulado: nada llega a WhatsApp y no hace falta ninguna cuenta. " +
      "Cada mensaje recorre en el asistente el mismo camino que uno real. Por ejemplo:",
    examples: ["/help", "Explica en dos frases qué es un webhook", "Propón tres cenas con arroz y huevos"],
  },
};
const LANGUAGE = navigator.language.toLowerCase().startsWith("es") ? "es" : "en";
const API = "/simulator/api";
const ASSISTANT = "WasAP";
const TYPING_MS = 25_000;
const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏"];
const PROGRESS = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3 };

const say = (key, values = {}) =>
  Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), TEXTS[LANGUAGE][key]);
const byId = (id) => document.getElementById(id);

// ---- DOM ------------------------------------------------------------------------------------------

// Strings become text nodes, never markup.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function icon(name, className = "") {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

const clock = (at) => new Date(at).toLocaleTimeString(LANGUAGE, { hour: "2-digit", minute: "2-digit" });

function dayName(at) {
  const midnight = (date) => new Date(date).setHours(0, 0, 0, 0);
  const age = Math.round((midnight(Date.now()) - midnight(at)) / 86_400_000);
  if (age < 2) return say(age < 1 ? "today" : "yesterday");
  return new Date(at).toLocaleDateString(LANGUAGE, { day: "numeric", month: "long", year: "numeric" });
}

// ---- WhatsApp formatting --------------------------------------------------------------------------

const TAGS = { "*": "strong", _: "em", "~": "s" };
const MARKERS = /```|(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/gu;
const isWordChar = (char) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
const isSpace = (char) => char === undefined || /\s/.test(char);

function formatted(text) {
  const box = el("div", { class: "text", dir: "auto" });
  text.split(/```([\s\S]+?)```/).forEach((part, index) => {
    if (index % 2) box.append(el("pre", { tabindex: "0" }, el("code", {}, part.replace(/^\n|\n$/g, ""))));
    else formatLines(index ? part.replace(/^\n/, "") : part, box);
  });
  return box;
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
      const depth = Math.min(2, Math.floor(item[1].length / 2));
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

// ---- The conversation -----------------------------------------------------------------------------

const chat = {
  user: "",
  after: 0,
  messages: new Map(),
  typingUntil: 0,
  lastDay: "",
  lastIsMine: null,
  quote: null,
  editing: null,
  menu: null,
  isPinned: true, // the newest message is in view, and stays there
};
const unsent = new Map(); // what the server has not confirmed: id → request

function clearChat() {
  Object.assign(chat, { after: 0, typingUntil: 0, lastDay: "", lastIsMine: null, menu: null, isPinned: true });
  chat.messages.clear();
  byId("log").replaceChildren();
  setContext(null, null);
}

function add(message) {
  const known = chat.messages.get(message.id);
  if (known) {
    Object.assign(known, message);
    return render(known);
  }
  const day = new Date(message.at).toDateString();
  if (day !== chat.lastDay) byId("log").append(el("li", { class: "day" }, dayName(message.at)));
  const isTurn = day !== chat.lastDay || message.isMine !== chat.lastIsMine;
  Object.assign(chat, { lastDay: day, lastIsMine: message.isMine });
  message.row = el("li", { class: `row${message.isMine ? " mine" : ""}${isTurn ? " turn" : ""}` });
  message.reactions = {};
  chat.messages.set(message.id, message);
  byId("log").append(message.row);
  render(message);
}

function change(id, values) {
  const message = chat.messages.get(id);
  if (!message) return;
  Object.assign(message, values);
  render(message);
}

function react(id, side, emoji) {
  const message = chat.messages.get(id);
  if (message) change(id, { reactions: { ...message.reactions, [side]: emoji } });
}

function advance(message, state) {
  if (message?.isMine && PROGRESS[state] > PROGRESS[message.state]) change(message.id, { state });
}

const HANDLERS = {
  inbound({ data, at }) {
    const { message } = data;
    if (message.type === "reaction") return react(message.reaction.message_id, "mine", message.reaction.emoji ?? "");
    if (message.type === "edit") {
      return change(message.edit.original_message_id, { text: message.edit.message.text?.body ?? "", isEdited: true });
    }
    if (message.type === "revoke") return change(message.revoke.original_message_id, { isRevoked: true });
    const choice = message.interactive?.[message.interactive.type];
    if (choice && message.context) change(message.context.id, { chosen: choice.id });
    const text = message.text?.body ?? choice?.title ?? locationText(message.location) ?? `📷 ${say("photo")}`;
    const quoteId = choice ? null : message.context?.id;
    add({ id: data.id, isMine: true, state: "sent", text, at, quoteId, isText: message.type === "text" });
  },
  webhook({ data }) {
    const message = chat.messages.get(data.id);
    if (data.status === 200) {
      unsent.delete(data.id);
      advance(message, "delivered");
    } else if (message && PROGRESS[message.state] < PROGRESS.delivered) {
      change(data.id, { state: "failed" });
    }
  },
  read({ data, at }) {
    for (const message of chat.messages.values()) {
      if (message.isMine && message.state !== "failed") advance(message, "read");
      if (message.id === data.id) break;
    }
    chat.typingUntil = data.typing ? Date.parse(at) + TYPING_MS : chat.typingUntil;
  },
  send({ data, at }) {
    chat.typingUntil = 0;
    const { payload } = data;
    if (data.type === "reaction") return react(payload.reaction.message_id, "theirs", payload.reaction.emoji);
    const attachment = data.type in payload && !["text", "interactive"].includes(data.type);
    const text = attachment ? [`📎 ${say("file")}`, data.text].filter(Boolean).join("\n") : data.text;
    add({ id: data.id, isMine: false, text, at, interactive: payload.interactive, quoteId: payload.context?.message_id });
  },
  status({ data }) {
    if (data.status === "failed") change(data.id, { isUndelivered: true, code: data.code });
  },
};

const locationText = (place) => place && `📍 ${place.name ?? `${place.latitude}, ${place.longitude}`}`;

function apply(event) {
  chat.after = event.seq;
  HANDLERS[event.kind]?.(event);
  refresh();
}

let isRefreshAsked = false;
function refresh() {
  if (isRefreshAsked) return;
  isRefreshAsked = true;
  requestAnimationFrame(() => {
    isRefreshAsked = false;
    const isTyping = chat.typingUntil > Date.now();
    byId("typing").hidden = !isTyping;
    byId("empty").hidden = chat.messages.size > 0;
    byId("down").hidden = chat.isPinned;
    showPresence();
    if (chat.isPinned) byId("scroll").scrollTop = byId("scroll").scrollHeight;
  });
}

function isNearEnd() {
  const box = byId("scroll");
  return box.scrollHeight - box.scrollTop - box.clientHeight < 90;
}

// ---- Bubbles --------------------------------------------------------------------------------------

function render(message) {
  const { row } = message;
  const hadFocus = row.contains(document.activeElement);
  const emojis = [...new Set(Object.values(message.reactions).filter(Boolean))];
  const bubble = el("div", { class: "bubble" }, ...content(message), meta(message));
  if (emojis.length) bubble.append(el("span", { class: "reactions" }, emojis.join(" ")));
  if (message.interactive && !message.isRevoked) bubble.append(choices(message));
  row.classList.toggle("reacted", emojis.length > 0);
  row.replaceChildren(bubble, ...(message.isRevoked ? [] : [tools(message)]), ...failure(message));
  if (chat.menu === message.id) row.append(menu(message));
  if (hadFocus) row.querySelector(".tools button")?.focus({ preventScroll: true });
}

function content(message) {
  if (message.isRevoked) return [el("div", { class: "gone" }, say("deleted"))];
  const { header, footer } = message.interactive ?? {};
  return [
    quoteOf(message),
    header ? el("div", { class: "head" }, header.text) : null,
    formatted(message.text),
    footer ? el("div", { class: "foot" }, footer.text) : null,
  ];
}

function quoteOf(message) {
  const quoted = chat.messages.get(message.quoteId);
  if (!quoted) return null;
  const jump = () => {
    quoted.row.scrollIntoView({ block: "center", behavior: "smooth" });
    quoted.row.classList.add("flash");
    setTimeout(() => quoted.row.classList.remove("flash"), 1300);
  };
  return el(
    "button", { type: "button", class: "quote", title: say("showQuoted"), onclick: jump },
    el("strong", {}, nameOf(quoted)), el("span", {}, excerpt(quoted)),
  );
}

const nameOf = (message) => (message.isMine ? say("you") : ASSISTANT);
const excerpt = (message) => (message.isRevoked ? say("deleted") : message.text.replace(MARKERS, "").trim().slice(0, 160));

function meta(message) {
  const box = el("div", { class: "meta" });
  if (message.isEdited && !message.isRevoked) box.append(say("edited"));
  box.append(el("time", { datetime: message.at }, clock(message.at)));
  const marks = { pending: "clock", sent: "tick", delivered: "ticks", read: "ticks", failed: "failed" };
  if (message.isMine) {
    const isWide = marks[message.state] === "ticks";
    box.append(icon(marks[message.state], `${message.state}${isWide ? " wide" : ""}`));
    box.append(el("span", { class: "hidden" }, say(message.state)));
  }
  return box;
}

function failure(message) {
  if (message.isUndelivered) {
    return [el("div", { class: "failure" }, say("undelivered", { code: message.code ?? "?" }))];
  }
  if (message.state !== "failed") return [];
  const asText = { type: "text", text: message.text, quote_id: message.quoteId ?? null, id: message.id };
  const request = unsent.get(message.id) ?? (message.isText ? asText : null);
  const retry = () => {
    change(message.id, { state: "pending" });
    post(request);
  };
  const button = request && el("button", { type: "button", onclick: retry }, say("retry"));
  return [el("div", { class: "failure" }, say("notDelivered"), button)];
}

function tools(message) {
  const toggle = () => {
    const previous = chat.menu;
    chat.menu = previous === message.id ? null : message.id;
    if (chat.messages.has(previous)) render(chat.messages.get(previous));
    render(message);
    refresh();
  };
  return el(
    "div", { class: "tools" },
    el("button", { type: "button", "aria-label": say("reply"), title: say("reply"), onclick: () => setContext("quote", message) }, icon("reply")),
    el("button", {
      type: "button", "aria-label": say("more"), title: say("more"),
      "aria-expanded": String(chat.menu === message.id), onclick: toggle,
    }, icon("more")),
  );
}

function menu(message) {
  const close = () => {
    chat.menu = null;
    render(message);
  };
  const doing = (action) => () => {
    close();
    action();
  };
  const mine = message.reactions.mine;
  const items = EMOJIS.map((emoji) => el("button", {
    type: "button", "aria-label": say("react", { emoji }), "aria-pressed": String(emoji === mine),
    onclick: doing(() => act({ type: "reaction", message_id: message.id, emoji: emoji === mine ? "" : emoji })),
  }, emoji));
  if (message.isMine) {
    items.push(
      el("button", { type: "button", onclick: doing(() => setContext("editing", message)) }, say("edit")),
      el("button", { type: "button", onclick: doing(() => act({ type: "revoke", message_id: message.id })) }, say("remove")),
    );
  }
  return el("div", { class: "menu", onkeydown: (event) => event.key === "Escape" && close() }, ...items);
}

function choices(message) {
  const { type, action } = message.interactive;
  if (type === "list") {
    const open = el("button", { type: "button", "aria-haspopup": "dialog", onclick: () => openList(message) }, icon("list"), action.button);
    return el("div", { class: "choices" }, open);
  }
  return el("div", { class: "choices" }, ...action.buttons.map(({ reply }) => el("button", {
    type: "button", "aria-pressed": String(message.chosen === reply.id),
    onclick: () => send({ type: "button", button_id: reply.id, title: reply.title, quote_id: message.id }, reply.title),
  }, reply.title)));
}

function openList(message) {
  const { sections, button } = message.interactive.action;
  const pick = (row) => {
    byId("list").close();
    send({ type: "list", row_id: row.id, title: row.title, description: row.description ?? "", quote_id: message.id }, row.title);
  };
  byId("list-title").textContent = button;
  byId("list-rows").replaceChildren(...sections.flatMap((section) => [
    section.title ? el("h3", {}, section.title) : "",
    ...section.rows.map((row) => el(
      "button", { type: "button", class: "option", onclick: () => pick(row) },
      row.title, row.description ? el("small", {}, row.description) : null,
    )),
  ]));
  byId("list").showModal();
}

// ---- Sending --------------------------------------------------------------------------------------

const newId = () => `wamid.SIM${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`;

function send(request, text) {
  const whole = { ...request, id: newId() };
  unsent.set(whole.id, { ...whole, user: chat.user, text_shown: text, at: new Date().toISOString() });
  showUnsent(unsent.get(whole.id));
  chat.isPinned = true;
  refresh();
  post(whole);
}

function showUnsent({ id, type, quote_id: quoteId, text_shown: text, at, has_failed: hasFailed }) {
  add({ id, isMine: true, state: hasFailed ? "failed" : "pending", text, at, quoteId: type === "text" ? quoteId : null });
  refresh();
}

async function post({ text_shown, at, has_failed, ...request }) {
  const isTaken = await act(request);
  if (isTaken) return;
  if (unsent.has(request.id)) unsent.get(request.id).has_failed = true;
  change(request.id, { state: "failed" });
}

async function act(request) {
  try {
    const answer = await fetch(`${API}/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user: chat.user, ...request }),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

function setContext(kind, message) {
  chat.quote = kind === "quote" ? message : null;
  chat.editing = kind === "editing" ? message : null;
  byId("context").hidden = !message;
  if (!message) return;
  byId("context-title").textContent = kind === "quote" ? say("replyingTo", { name: nameOf(message) }) : say("editing");
  byId("context-text").textContent = excerpt(message);
  if (kind === "editing") byId("input").value = message.text;
  grow();
  byId("input").focus();
}

function submit(event) {
  event?.preventDefault();
  const text = byId("input").value.trim();
  if (!text) return;
  if (chat.editing) act({ type: "edit", message_id: chat.editing.id, text });
  else send({ type: "text", text, quote_id: chat.quote?.id ?? null }, text);
  byId("input").value = "";
  setContext(null, null);
  grow();
}

function grow() {
  const input = byId("input");
  input.style.height = "auto";
  input.style.height = `${input.scrollHeight + 2}px`;
}

// ---- The connection and the model -----------------------------------------------------------------

let source = null;
let retryMs = 1000;
let facts = {};

async function connect() {
  source?.close();
  try {
    const state = await loadState();
    if (state.last_seq < chat.after) clearChat(); // the transcript began anew
    listen(state.last_seq);
  } catch {
    reconnectLater();
  }
}

function listen(lastSeq) {
  const stream = new EventSource(`${API}/events?user=${encodeURIComponent(chat.user)}&after=${chat.after}`);
  source = stream;
  const settle = () => {
    if (chat.after >= lastSeq) byId("log").setAttribute("aria-live", "polite");
  };
  stream.onopen = () => {
    retryMs = 1000;
    byId("offline").hidden = true;
    settle();
    refresh();
  };
  stream.onmessage = (message) => {
    apply(JSON.parse(message.data));
    settle();
  };
  stream.onerror = () => {
    stream.close();
    if (source === stream) reconnectLater();
  };
}

function reconnectLater() {
  byId("offline").textContent = say("offline");
  byId("offline").hidden = false;
  setTimeout(connect, retryMs);
  retryMs = Math.min(retryMs * 2, 8000);
}

async function loadState() {
  const answer = await fetch(`${API}/state`);
  if (!answer.ok) throw new Error(`state: ${answer.status}`);
  const state = await answer.json();
  facts = state.facts;
  showPeople(state.users);
  showModel();
  return state;
}

async function watchModel() {
  const isSettled = !facts.state || facts.state === "ready";
  setTimeout(async () => {
    await loadState().catch(() => null); // the event stream tells about a lost connection
    watchModel();
  }, isSettled ? 20_000 : 2000);
}

function showModel() {
  const { state, progress, detail = "" } = facts;
  const hasProgress = state === "fetching" && progress !== undefined;
  const percent = Math.floor(Number(progress) * 100);
  const key = state === "fetching" && !hasProgress ? "fetchingUnknown" : state;
  byId("model").hidden = !["fetching", "loading", "unavailable"].includes(state);
  byId("model").classList.toggle("warn", state === "unavailable");
  byId("model-text").textContent = byId("model").hidden ? "" : say(key, { percent, detail });
  byId("model-progress").hidden = !hasProgress;
  if (hasProgress) byId("model-progress").value = Number(progress);
  showPresence();
}

function showPresence() {
  const isTyping = chat.typingUntil > Date.now();
  const ready = facts.state === "ready" ? say("ready") : "";
  const text = isTyping ? say("typing") : [facts.model, ready].filter(Boolean).join(" · ");
  if (byId("presence").textContent !== text) byId("presence").textContent = text;
}

function showPeople(users) {
  if (byId("people").childElementCount) return;
  chat.user = users.some(({ wa_id: id }) => id === sessionStorage.getItem("user"))
    ? sessionStorage.getItem("user") : users[0].wa_id;
  byId("people").append(...users.map(({ wa_id: id, name }) => el(
    "label", {},
    el("input", { type: "radio", name: "person", value: id, checked: id === chat.user, onchange: () => become(id) }),
    el("span", {}, name),
  )));
}

function become(user) {
  sessionStorage.setItem("user", user);
  byId("log").setAttribute("aria-live", "off");
  clearChat();
  chat.user = user;
  for (const request of unsent.values()) if (request.user === user) showUnsent(request);
  connect();
}

// ---- Start ----------------------------------------------------------------------------------------

function start() {
  document.documentElement.lang = LANGUAGE;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = say(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", say(node.dataset.label));
    node.title = say(node.dataset.label);
  }
  const input = byId("input");
  input.placeholder = say("placeholder");
  byId("examples").append(...TEXTS[LANGUAGE].examples.map((text) => el(
    "button", { type: "button", onclick: () => send({ type: "text", text, quote_id: null }, text) }, text,
  )));
  byId("composer").addEventListener("submit", submit);
  byId("context-close").addEventListener("click", () => setContext(null, null));
  byId("list-close").addEventListener("click", () => byId("list").close());
  byId("down").addEventListener("click", () => byId("scroll").scrollTo({ top: byId("scroll").scrollHeight, behavior: "smooth" }));
  byId("scroll").addEventListener("scroll", () => {
    chat.isPinned = isNearEnd();
    byId("down").hidden = chat.isPinned;
  }, { passive: true });
  new ResizeObserver(refresh).observe(byId("scroll"));
  input.addEventListener("input", grow);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    if (event.key === "Escape" && (chat.quote || chat.editing)) setContext(null, null);
  });
  setInterval(() => chat.typingUntil && refresh(), 1000);
  input.focus();
  connect().then(watchModel);
}

start();
