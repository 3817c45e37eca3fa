// The path of each message through the service, from the inbox to the outbox.

import { get } from "./api.js";
import { el, icon } from "./dom.js";
import { excerpt } from "./message.js";
import { duration, milliseconds, say, timeOf } from "./texts.js";

const MAX_TURNS = 12;
const SETTLE_MS = 120;
const DONE = new Set(["done", "sent"]);
const GOING_ON = new Set(["pending", "running", "sending"]);

export class TurnsPanel {
  constructor({ chats, inView }) {
    this.chats = chats;
    this.inView = inView;
    this.cards = new Map();
    this.list = el("ol", { class: "turn-list" });
    this.empty = el("p", { class: "about" }, say("nothingYet"));
    this.node = el("div", {}, el("p", { class: "about" }, say("turnsAbout")), this.empty, this.list);
  }

  // What happens to one message comes as several events: they are answered together.
  onEvent(event) {
    // A turn that is over can still be given a reaction.
    if (event?.data?.message?.type === "reaction") this.cards.forEach((card) => { card.isFinal = false; });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), SETTLE_MS);
  }

  show() {
    const people = this.inView().map((person) => this.chats.get(person));
    const turns = people.flatMap((chat) => [...chat.messages.values()].filter((one) => one.isMine).map((message) => ({ chat, message })));
    turns.sort((a, b) => Date.parse(b.message.at) - Date.parse(a.message.at));
    const newest = turns.slice(0, MAX_TURNS);
    this.list.replaceChildren(...newest.map(({ chat, message }, index) => this.card(chat, message, index === 0)));
    this.empty.hidden = newest.length > 0;
  }

  card(chat, message, isNewest) {
    const known = this.cards.get(message.id);
    const card = known ?? this.newCard(chat, message, isNewest);
    card.title.textContent = excerpt(message);
    if (card.details.open && !card.isFinal) this.load(card);
    return card.node;
  }

  newCard(chat, message, isNewest) {
    const title = el("strong", {});
    const about = `${chat.person.name} · ${timeOf(message.at)}`;
    const path = el("ol", { class: "path" });
    const details = el("details", { open: isNewest }, el("summary", {}, title, el("small", {}, about)), path);
    const card = { id: message.id, user: chat.person.wa_id, title, details, path, node: el("li", {}, details), isFinal: false };
    details.addEventListener("toggle", () => details.open && this.load(card));
    this.cards.set(message.id, card);
    return card;
  }

  async load(card) {
    const turn = await get(`/turns/${encodeURIComponent(card.id)}?user=${encodeURIComponent(card.user)}`);
    card.path.replaceChildren(...(turn ? steps(turn) : [el("li", {}, say("pathUnknown"))]));
    card.isFinal = Boolean(turn?.finished_at) && turn.replies.every((reply) => reply.delivery === "read" || reply.state === "failed");
  }
}

function steps(turn) {
  const { trace } = turn;
  const waited = turn.finished_at ? (Date.parse(turn.finished_at) - Date.parse(turn.received_at)) / 1000 : null;
  const inbox = [
    state(turn.state), ` ${turn.kind}`,
    turn.attempts > 1 ? ` · ${say("attempts", { count: turn.attempts })}` : "",
    waited === null ? "" : ` · ${say("took", { duration: waited < 1 ? milliseconds(Math.round(waited * 1000)) : duration(waited) })}`,
  ];
  const first = step("inbox", [...inbox, turn.error ? el("p", { class: "bad" }, turn.error) : ""]);
  if (turn.reaction) first.lastChild.append(" · ", el("span", { role: "img", "aria-label": say("reactions", { emojis: turn.reaction }) }, turn.reaction));
  const isGoingOn = GOING_ON.has(turn.state) && !turn.replies.length;
  return [first, ...inside(turn, trace), ...(isGoingOn ? [] : [outbox(turn)])];
}

function inside(turn, trace) {
  if (!trace) return [step("model", [say(GOING_ON.has(turn.state) ? "stillRunning" : "noModel")])];
  const calls = trace.model_calls === 1 ? say("oneCall") : say("calls", { count: trace.model_calls });
  const tokens = say("tokens", { prompt: trace.prompt_tokens, cached: trace.cached_tokens, completion: trace.completion_tokens });
  const usedNames = new Set(trace.steps.map((one) => one.tool));
  return [
    step("categories", chips(trace.categories)),
    ...(trace.recalled?.length ? [step("recalled", [el("ul", { class: "used" }, trace.recalled.map(recalled))])] : []),
    step("offered", chips(trace.offered, usedNames)),
    step("used", trace.steps.length ? [el("ul", { class: "used" }, trace.steps.map((one) => el(
      "li", {}, icon("tick"), el("code", {}, one.tool), el("small", {}, `${one.kind} · ${milliseconds(one.duration_ms)}`),
    )))] : [say("none")]),
    step("model", [`${calls} · ${milliseconds(trace.duration_ms)}`, el("p", {}, tokens)]),
  ];
}

const recalled = ({ kind, text, why }) => el("li", {}, el("span", {}, text), el("small", {}, `${kind} · ${why}`));

function outbox({ replies }) {
  if (!replies.length) return step("outbox", [say("none")]);
  return step("outbox", [el("ul", { class: "used" }, replies.map((reply) => el(
    "li", {}, state(reply.delivery ?? reply.state),
    reply.attempts > 1 ? el("small", {}, say("attempts", { count: reply.attempts })) : null,
    reply.error ? el("small", { class: "bad" }, reply.error) : null,
  )))]);
}

const step = (name, children) => el("li", {}, el("h3", {}, say(name)), el("div", {}, children));

function chips(names, used = new Set()) {
  if (!names.length) return [say("none")];
  return [el("ul", { class: "chips" }, names.map((name) => el("li", { class: used.has(name) ? "is-used" : "" }, name)))];
}

// Database and Meta speak for themselves here: these words are what the logs say, too.
function state(word) {
  const kind = DONE.has(word) || word === "delivered" || word === "read" ? "ok" : GOING_ON.has(word) ? "busy" : "bad";
  return el("b", { class: kind }, word);
}
