// What a person can change about the world: the time, and what goes wrong.

import { get, post } from "./api.js";
import { el } from "./dom.js";
import { duration, LANGUAGE, say } from "./texts.js";

const WINDOW_MS = 24 * 3_600_000;
const JUMPS_H = [1, 6, 12, 23];
const PAST_H = 25;
const DUE_MS = 3000;
const FAULTS = [
  "token_expired", "pair_rate", "window_closed", "undeliverable", "late_webhooks", "repeated_webhooks", "slow", "down",
];

async function control(path, body, problem) {
  problem.hidden = (await post(path, body)) !== null;
}

const newProblem = () => el("p", { class: "problem", role: "alert", hidden: true }, say("controlFailed"));

export class ClockPanel {
  constructor({ chats, now }) {
    this.chats = chats;
    this.now = now;
    this.date = el("span", { class: "date" });
    this.time = el("span", { class: "time" });
    this.offset = el("p", { class: "offset" });
    this.problem = newProblem();
    this.jumps = el("div", { class: "jumps", role: "group", "aria-label": say("jump") }, [
      ...JUMPS_H.map((hours) => this.jump(hours, `+ ${say("jumpHours", { hours })}`)),
      this.jump(PAST_H, `+ ${say("jumpPast")}`),
    ]);
    this.windows = el("ul", { class: "windows" });
    this.due = el("ul", { class: "windows due" });
    this.node = el(
      "div", {}, el("p", { class: "about" }, say("clockAbout")),
      el("div", { class: "face-of-clock" }, this.date, this.time, this.offset),
      el("h3", {}, say("jump")), this.jumps, this.problem, el("h3", {}, say("windows")), this.windows,
      el("h3", {}, say("due")), this.due,
    );
    setInterval(() => this.node.checkVisibility?.() !== false && this.show(), 1000);
    setInterval(() => this.node.checkVisibility?.() === true && this.askDue(), DUE_MS);
  }

  jump(hours, label) {
    return el("button", { type: "button", onclick: () => control("/clock", { hours }, this.problem) }, label);
  }

  set({ offset_s: seconds }) {
    for (const one of this.jumps.children) one.disabled = seconds === null;
    this.offset.textContent = seconds === null ? say("clockFixed") : seconds > 0 ? say("ahead", { duration: duration(seconds) }) : say("onTime");
    this.show();
  }

  show() {
    const now = new Date(this.now());
    this.date.textContent = now.toLocaleDateString(LANGUAGE, { weekday: "long", day: "numeric", month: "long" });
    this.time.textContent = now.toLocaleTimeString(LANGUAGE, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    this.windows.replaceChildren(...[...this.chats.values()].map((chat) => this.window(chat)));
  }

  async askDue() {
    const due = await get("/due");
    if (!due) return;
    const shown = due.map(({ name, at, text }) => {
      const when = new Date(at).toLocaleString(LANGUAGE, { dateStyle: "short", timeStyle: "short" });
      return el("li", {}, el("b", {}, name), el("span", {}, `${when}: ${text}`));
    });
    this.due.replaceChildren(...(shown.length ? shown : [el("li", {}, say("dueNothing"))]));
  }

  window(chat) {
    const leftMs = chat.lastInboundAt ? Date.parse(chat.lastInboundAt) + WINDOW_MS - this.now() : null;
    const isOpen = leftMs > 0;
    const text = leftMs === null ? say("windowNever") : isOpen ? say("windowOpen", { duration: duration(leftMs / 1000) }) : say("windowClosed");
    const share = isOpen ? leftMs / WINDOW_MS : 0;
    const bar = el("span", { class: "left" });
    bar.style.setProperty("--share", String(share));
    return el("li", { class: leftMs === null ? "" : isOpen ? "is-open" : "is-closed" }, el("b", {}, chat.person.name), el("span", {}, text), bar);
  }
}

export class FaultsPanel {
  constructor() {
    this.problem = newProblem();
    this.switches = new Map(FAULTS.map((name) => [name, this.newSwitch(name)]));
    this.off = el("button", { type: "button", class: "all-off", onclick: () => this.allOff() }, say("allOff"));
    this.node = el(
      "div", {}, el("p", { class: "about" }, say("faultsAbout")),
      el("div", { class: "switches" }, [...this.switches.values()]), this.off, this.problem,
    );
  }

  newSwitch(name) {
    const [title, effect] = say(name);
    return el("button", {
      type: "button", role: "switch", "aria-checked": "false", "data-switch": name,
      onclick: (event) => this.turn(name, event.currentTarget.getAttribute("aria-checked") !== "true"),
    }, el("span", { class: "words" }, el("strong", {}, title), el("small", {}, effect)), el("span", { class: "knob", "aria-hidden": "true" }));
  }

  turn(name, isOn) {
    return control("/faults", { switch: name, is_on: isOn }, this.problem);
  }

  async allOff() {
    for (const [name, node] of this.switches) {
      if (node.getAttribute("aria-checked") === "true") await this.turn(name, false);
    }
  }

  set({ faults }) {
    for (const [name, node] of this.switches) node.setAttribute("aria-checked", String(faults.includes(name)));
    this.off.hidden = !faults.length;
  }
}
