// The drawer: what no phone shows.

import { ClockPanel, FaultsPanel } from "./controls.js";
import { byId, el, icon } from "./dom.js";
import { say } from "./texts.js";
import { TurnsPanel } from "./turns.js";
import { WirePanel } from "./wire.js";

const TABS = ["wire", "turns", "clock", "faults"];
const COVERING = matchMedia("(max-width: 999px)");

export class Laboratory {
  // `chats`: wa_id → Chat; `inView()`: the wa_ids on the screen.
  constructor(world) {
    this.panels = {
      wire: new WirePanel(world), turns: new TurnsPanel(world), clock: new ClockPanel(world), faults: new FaultsPanel(),
    };
    this.node = byId("lab");
    this.build();
    COVERING.addEventListener("change", () => this.guard());
    const kept = sessionStorage.getItem("lab");
    this.select(TABS.includes(kept) ? kept : TABS[0], false);
    if (sessionStorage.getItem("lab-open") === "yes" && !COVERING.matches) this.open();
  }

  build() {
    const tabs = TABS.map((name) => el("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => this.select(name),
    }, say(name)));
    const list = el("div", { class: "tabs", role: "tablist", "aria-label": say("laboratory") }, tabs);
    list.addEventListener("keydown", (event) => this.onKey(event));
    for (const name of TABS) {
      const { node } = this.panels[name];
      node.id = `panel-${name}`;
      node.className = `panel ${name}`;
      node.setAttribute("role", "tabpanel");
      node.setAttribute("aria-labelledby", `tab-${name}`);
      node.tabIndex = 0;
    }
    const close = el("button", { type: "button", class: "icon", "aria-label": say("close"), title: say("close"), onclick: () => this.close() }, icon("close"));
    this.node.append(
      el("div", { class: "lab-head" }, el("h2", {}, say("laboratory")), close), list,
      ...TABS.map((name) => this.panels[name].node),
    );
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  select(name, isFocused = true) {
    this.selected = name;
    sessionStorage.setItem("lab", name);
    for (const one of TABS) {
      const tab = byId(`tab-${one}`);
      tab.setAttribute("aria-selected", String(one === name));
      tab.tabIndex = one === name ? 0 : -1;
      this.panels[one].node.hidden = one !== name;
    }
    if (isFocused && !this.node.hidden) byId(`tab-${name}`).focus();
    this.showPanel();
  }

  onKey(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.select(TABS[(TABS.indexOf(this.selected) + steps[event.key] + TABS.length) % TABS.length]);
  }

  toggle() {
    if (this.node.hidden) this.open();
    else this.close();
  }

  open(tab = this.selected) {
    this.node.hidden = false;
    sessionStorage.setItem("lab-open", "yes");
    byId("lab-open").setAttribute("aria-expanded", "true");
    this.guard();
    this.select(tab, COVERING.matches);
  }

  close() {
    this.node.hidden = true;
    sessionStorage.setItem("lab-open", "no");
    byId("lab-open").setAttribute("aria-expanded", "false");
    this.guard();
    byId("lab-open").focus();
  }

  // Where it covers the chats, they cannot be reached behind it.
  guard() {
    const isCovering = COVERING.matches && !this.node.hidden;
    for (const node of [byId("side"), document.querySelector("main")]) node.inert = isCovering;
  }

  showPanel() {
    const panel = this.panels[this.selected];
    if (!this.node.hidden) panel.show?.();
  }

  addExchange(exchange) {
    this.panels.wire.add(exchange);
  }

  onEvent(event) {
    if (!this.node.hidden && this.selected === "turns") this.panels.turns.onEvent(event);
    if (!this.node.hidden && this.selected === "clock") this.panels.clock.show();
  }

  showPeople() {
    this.showPanel();
  }

  showControls(controls) {
    this.panels.clock.set(controls);
    this.panels.faults.set(controls);
  }
}
