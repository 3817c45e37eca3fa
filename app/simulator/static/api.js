// The page's way to the server: posts, uploads, and the one stream of events.

const API = "/simulator/api";
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 8000;

export const mediaUrl = (id) => `${API}/media/${encodeURIComponent(id)}`;

export const newId = () => `wamid.SIM${crypto.randomUUID().replaceAll("-", "").toUpperCase()}`;

// The answer's JSON, or null when it was refused or nobody answered.
async function ask(path, options) {
  try {
    const answer = await fetch(`${API}${path}`, options);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

export const get = (path) => ask(path, {});

export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export function upload(blob, filename) {
  const query = new URLSearchParams({ mime_type: blob.type || "application/octet-stream" });
  if (filename) query.set("filename", filename);
  const headers = { "Content-Type": "application/octet-stream" };
  return ask(`/media?${query}`, { method: "POST", headers, body: blob });
}

// Follows the server's events. `handlers`: event, wire, facts, controls, settled (the past has been replayed),
// opened, lost, restarted (the server began anew: forget what was shown).
export class Stream {
  constructor(handlers) {
    this.handlers = handlers;
    this.after = 0;
    this.exchangesAfter = 0;
    this.retryMs = FIRST_RETRY_MS;
    this.source = null;
  }

  // `people`: all wa_ids; `inView`: those whose chats are on the screen; `known`: a state that was asked for just now.
  async open(people, inView, known = null) {
    this.people = people;
    this.inView = inView;
    this.source?.close();
    const attempt = (this.source = { close() {} });
    const state = known ?? (await get("/state"));
    if (this.source !== attempt) return;
    if (!state) return this.retryLater();
    if (state.last_seq < this.after) {
      this.after = 0;
      this.handlers.restarted();
    }
    if (state.last_exchange < this.exchangesAfter) this.exchangesAfter = 0;
    this.listen();
  }

  listen() {
    const query = new URLSearchParams({ after: this.after, exchanges_after: this.exchangesAfter });
    for (const person of this.people) {
      query.append("user", person);
      if (!this.inView.includes(person)) query.append("hidden", person);
    }
    const stream = new EventSource(`${API}/events?${query}`);
    this.source = stream;
    stream.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.handlers.opened();
    };
    stream.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      this.after = event.seq;
      this.handlers.event(event);
    };
    stream.addEventListener("wire", ({ data }) => {
      const exchange = JSON.parse(data);
      this.exchangesAfter = exchange.seq;
      this.handlers.wire(exchange);
    });
    stream.addEventListener("facts", ({ data }) => this.handlers.facts(JSON.parse(data)));
    stream.addEventListener("controls", ({ data }) => {
      this.handlers.controls(JSON.parse(data));
      this.handlers.settled(); // they come when the past has been replayed
    });
    stream.onerror = () => {
      stream.close();
      if (this.source === stream) this.retryLater();
    };
  }

  retryLater() {
    this.handlers.lost();
    const lost = this.source;
    setTimeout(() => this.source === lost && this.open(this.people, this.inView), this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS);
  }
}
