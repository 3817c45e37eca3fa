// Where a person writes: text, attachments, voice, and the message that is quoted or edited.

import { upload } from "./api.js";
import { byId, el, icon } from "./dom.js";
import { openChoices, openItems } from "./menu.js";
import { excerpt, nameOf } from "./message.js";
import { say } from "./texts.js";
import { Recorder } from "./voice.js";

const MAX_BYTES = 16 * 1024 * 1024;
const PICTURES = "image/png,image/jpeg,image/webp,image/gif,video/mp4,video/webm";
const PLACES = [
  { latitude: -34.6037, longitude: -58.3816, name: "Obelisco, Buenos Aires" },
  { latitude: 40.4169, longitude: -3.7035, name: "Puerta del Sol, Madrid" },
  { latitude: 19.4326, longitude: -99.1332, name: "Zócalo, Ciudad de México" },
  { latitude: 51.508, longitude: -0.1281, name: "Trafalgar Square, London" },
  { latitude: 40.758, longitude: -73.9855, name: "Times Square, New York" },
];

function kindOf(file, isShown) {
  const family = file.type.split("/")[0];
  if (isShown && (family === "image" || family === "video")) return family;
  return family === "audio" ? "audio" : "document";
}

export class Composer {
  constructor(chat) {
    this.chat = chat;
    this.quote = null;
    this.editing = null;
    const part = (selector) => chat.node.querySelector(selector);
    this.parts = {
      form: part(".composer"), input: part("textarea"), context: part(".context"), send: part(".writing .send"),
      record: part(".record"), writing: part(".writing"), recording: part(".recording"), timer: part(".recording [role=timer]"),
      problem: part(".problem"),
    };
    this.recorder = new Recorder((text) => { this.parts.timer.textContent = text; });
    this.listen(part);
    this.parts.input.value = sessionStorage.getItem(this.draftKey) ?? "";
    this.parts.input.id = `input-${chat.person.wa_id}`;
  }

  get draftKey() {
    return `draft-${this.chat.person.wa_id}`;
  }

  listen(part) {
    const { form, input, record } = this.parts;
    form.addEventListener("submit", (event) => this.submit(event));
    input.addEventListener("input", () => this.changed());
    input.addEventListener("keydown", (event) => this.onKey(event));
    input.addEventListener("paste", (event) => this.take(event, event.clipboardData));
    this.chat.node.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.chat.node.classList.add("dropping");
    });
    this.chat.node.addEventListener("dragleave", () => this.chat.node.classList.remove("dropping"));
    this.chat.node.addEventListener("drop", (event) => this.take(event, event.dataTransfer));
    part(".context-close").addEventListener("click", () => this.setContext(null, null));
    part(".attach").addEventListener("click", (event) => this.attach(event.currentTarget));
    record.addEventListener("click", () => this.startRecording());
    part(".discard").addEventListener("click", () => this.endRecording(false));
    part(".record-send").addEventListener("click", () => this.endRecording(true));
  }

  focus() {
    this.parts.input.focus({ preventScroll: true });
  }

  onKey(event) {
    const { input } = this.parts;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.submit(event);
    if (event.key === "Escape" && (this.quote || this.editing)) this.setContext(null, null);
    if (event.key === "ArrowUp" && !input.value) {
      event.preventDefault();
      this.chat.newest?.row.focus();
    }
  }

  changed() {
    const { input, send, record } = this.parts;
    send.hidden = !input.value.trim();
    record.hidden = !send.hidden;
    if (!this.editing) sessionStorage.setItem(this.draftKey, input.value);
    input.style.height = "";
    if (input.scrollHeight > input.clientHeight) input.style.height = `${input.scrollHeight}px`;
  }

  setContext(kind, message) {
    const { context, input } = this.parts;
    if (this.editing) input.value = "";
    this.quote = kind === "quote" ? message : null;
    this.editing = kind === "editing" ? message : null;
    context.hidden = !message;
    if (message) {
      context.querySelector("strong").textContent = kind === "quote" ? say("replyingTo", { name: nameOf(message) }) : say("editing");
      context.querySelector("div > span").textContent = excerpt(message);
      if (kind === "editing") input.value = message.text;
      this.focus();
    }
    this.changed();
  }

  submit(event) {
    event.preventDefault();
    const { input } = this.parts;
    const text = input.value.trim();
    if (!text) return;
    if (this.editing) this.chat.act({ type: "edit", message_id: this.editing.id, text });
    else this.chat.sendText(text, this.quote?.id ?? null);
    input.value = "";
    this.setContext(null, null);
  }

  tell(problem) {
    this.parts.problem.textContent = problem;
    this.parts.problem.hidden = !problem;
  }

  // ---- Attachments

  attach(anchor) {
    const choose = (accept) => {
      const picker = el("input", { type: "file", accept, multiple: "", class: "picker" });
      picker.addEventListener("change", () => this.preview([...picker.files], accept === PICTURES));
      picker.click();
    };
    openItems(anchor, [
      ["photo", say("attachPhoto"), () => choose(PICTURES)],
      ["file", say("attachDocument"), () => choose("")],
      ["pin", say("attachLocation"), () => this.choosePlace()],
      ["person", say("contact"), () => this.chooseContact()],
    ]);
  }

  choosePlace() {
    const rows = PLACES.map((place) => ({ title: place.name, description: `${place.latitude}, ${place.longitude}`, place }));
    openChoices(say("whichPlace"), [{ rows }], ({ place }) => this.chat.send({ type: "location", ...place }, { place }));
  }

  chooseContact() {
    const others = this.chat.everybody().filter((one) => one.wa_id !== this.chat.person.wa_id);
    const rows = others.map((one) => ({ title: one.name, description: `+${one.wa_id}`, card: { name: one.name, wa_id: one.wa_id } }));
    openChoices(say("whichContact"), [{ rows }], ({ card }) => this.chat.send({ type: "contact", ...card }, { card }));
  }

  take(event, transfer) {
    const files = [...(transfer?.files ?? [])];
    this.chat.node.classList.remove("dropping");
    if (!files.length) return;
    event.preventDefault();
    this.preview(files, true);
  }

  // Several files leave one after the other, as from a phone; the caption is that of the first.
  preview(files, isShown) {
    this.tell("");
    if (!files.length) return;
    if (files.some((one) => one.size > MAX_BYTES)) return this.tell(say("tooLarge"));
    const file = files[0];
    const kind = kindOf(file, isShown);
    const address = URL.createObjectURL(file);
    byId("preview-box").replaceChildren(
      kind === "image" ? el("img", { src: address, alt: file.name })
        : el("div", { class: "document" }, el("span", { class: "sheet-icon" }, icon("file")), el("strong", {}, file.name)),
      ...(files.length > 1 ? [el("span", { class: "more-files" }, `+${files.length - 1}`)] : []),
    );
    byId("preview-caption").value = "";
    byId("preview-caption").hidden = kind === "audio";
    byId("preview-form").onsubmit = () => this.sendFiles(files, isShown, byId("preview-caption").value.trim());
    const dialog = byId("preview");
    dialog.addEventListener("close", () => URL.revokeObjectURL(address), { once: true });
    return dialog.showModal();
  }

  async sendFiles(files, isShown, caption) {
    for (const [index, file] of files.entries()) {
      const kind = kindOf(file, isShown);
      await this.sendFile(file, kind, index === 0 && kind !== "audio" ? caption : "");
    }
  }

  async sendFile(blob, kind, caption, isVoice = false) {
    this.tell("");
    const quoteId = this.quote?.id ?? null;
    this.setContext(null, null);
    const stored = await upload(blob, isVoice ? null : blob.name);
    if (!stored) return this.tell(say("uploadFailed"));
    const file = { kind, id: stored.id, filename: blob.name, mime_type: blob.type, caption, voice: isVoice };
    const request = { type: "media", kind, media_id: stored.id, caption: caption || null, voice: isVoice, quote_id: quoteId };
    return this.chat.send(request, { text: caption, file, quoteId });
  }

  // ---- Voice

  async startRecording() {
    this.tell("");
    try {
      await this.recorder.start();
    } catch {
      return this.tell(say("noMicrophone"));
    }
    this.showRecording(true);
    return this.parts.recording.querySelector(".record-send").focus();
  }

  async endRecording(isSent) {
    if (!isSent) this.recorder.discard();
    const voice = isSent ? await this.recorder.stop() : null;
    this.showRecording(false);
    this.focus();
    if (voice) await this.sendFile(voice, "audio", "", true);
  }

  showRecording(isOn) {
    this.parts.writing.hidden = isOn;
    this.parts.recording.hidden = !isOn;
  }
}
