// Every request that passed between Meta's place and the service, newest first.

import { el, hidden, icon } from "./dom.js";
import { milliseconds, say, timeOf } from "./texts.js";

const MAX_ROWS = 150;
const FILTERS = ["all", "webhooks", "graphCalls"];
const DIRECTION = { webhook: "webhooks", graph: "graphCalls" };
const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export class WirePanel {
  constructor({ inView }) {
    this.inView = inView;
    this.filter = "all";
    this.list = el("ol", { class: "exchanges" });
    this.empty = el("p", { class: "about" }, say("nothingYet"));
    this.filters = el("div", { class: "filters", role: "group", "aria-label": say("wire") }, FILTERS.map((name) => el(
      "button", { type: "button", "aria-pressed": String(name === "all"), "data-filter": name, onclick: () => this.choose(name) }, say(name),
    )));
    this.node = el("div", {}, el("p", { class: "about" }, say("wireAbout")), this.filters, this.empty, this.list);
  }

  add(exchange) {
    this.list.prepend(row(exchange));
    if (this.list.childElementCount > MAX_ROWS) this.list.lastElementChild.remove();
    this.show();
  }

  choose(name) {
    this.filter = name;
    for (const one of this.filters.children) one.setAttribute("aria-pressed", String(one.dataset.filter === name));
    this.show();
  }

  show() {
    let count = 0;
    for (const item of this.list.children) {
      const isAsked = this.filter === "all" || this.filter === item.dataset.filter;
      item.hidden = !isAsked || !(item.dataset.user === "" || this.inView().includes(item.dataset.user));
      count += item.hidden ? 0 : 1;
    }
    this.empty.hidden = count > 0;
  }
}

function row(exchange) {
  const { direction, status, duration_ms: ms, at, user } = exchange;
  const isIn = direction === "webhook";
  const text = what(exchange);
  const ok = status >= 200 && status < 300;
  const answered = status ? String(status) : say("noAnswer");
  const details = el("details", {}, el(
    "summary", {},
    el("span", { class: `way ${direction}` }, icon(isIn ? "in" : "out"), hidden(say(isIn ? "toService" : "fromService"))),
    el("span", { class: "what" }, el("strong", {}, text), el("small", {}, `${exchange.method} ${exchange.path}`)),
    el("span", { class: "result" }, el("b", { class: ok ? "ok" : "bad" }, answered), el("small", {}, `${timeOf(at)} · ${milliseconds(ms)}`)),
  ));
  // Most are never opened: what stands in them is built when they are.
  details.addEventListener("toggle", () => details.append(...parts(exchange)), { once: true });
  return el("li", { "data-user": user, "data-filter": DIRECTION[direction] }, details);
}

function parts({ headers, request, answer, status }) {
  const lines = Object.entries(headers).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  return [
    el("h3", {}, say("headers")), el("dl", {}, lines),
    el("h3", {}, say("body")), json(request),
    el("h3", {}, say("answer")), status ? json(answer) : el("pre", { tabindex: "0" }, answer ?? say("noAnswer")),
  ];
}

// In a few words, what the exchange was about.
function what({ direction, request, path }) {
  if (direction === "webhook") {
    const { messages = [], statuses = [] } = request?.entry?.[0]?.changes?.[0]?.value ?? {};
    return [...messages.map((one) => `message · ${one.type}`), ...statuses.map((one) => `status · ${one.status}`)].join(", ") || "webhook";
  }
  if (request?.status === "read") return request.typing_indicator ? "read · typing" : "read";
  if (request?.type) return `send · ${request.interactive?.type ?? request.type}`;
  if (path.endsWith("/media")) return "media · upload";
  return path.startsWith("/media-files/") ? "media · download" : "media · look-up";
}

function json(value) {
  if (value === null || value === undefined) return el("pre", { tabindex: "0" }, say("emptyBody"));
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const box = el("pre", { tabindex: "0" });
  let from = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [, string, colon] = match;
    const kind = string ? (colon ? "key" : "string") : "value";
    const token = string ?? match[0];
    box.append(text.slice(from, match.index), el("span", { class: kind }, token));
    from = match.index + token.length;
  }
  box.append(text.slice(from));
  return box;
}
