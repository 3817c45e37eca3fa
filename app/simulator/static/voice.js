// Voice messages: recording them, and playing them with the wave of what was said.

import { button, el, icon } from "./dom.js";
import { say } from "./texts.js";

const BARS = 38;
const RATE = 8000;
// WhatsApp's own voice format first; what comes last is what older browsers can.
const FORMATS = ["audio/ogg;codecs=opus", "audio/mp4;codecs=opus", "audio/mp4", "audio/webm;codecs=opus"];

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export function voicePlayer(url, file) {
  const wave = el("span", { class: "wave", "aria-hidden": "true" }, Array.from({ length: BARS }, () => el("i")));
  const seek = el("input", { type: "range", min: "0", max: "1000", value: "0", "aria-label": say("seek") });
  const time = el("small", { class: "length" }, "0:00");
  const toggle = button("icon play", say("play"), icon("play"), () => (sound.paused ? sound.play() : sound.pause()));
  const sound = new Audio();
  let length = 0;

  const show = () => {
    const share = length ? Math.min(1, sound.currentTime / length) : 0;
    seek.value = String(Math.round(share * 1000));
    time.textContent = clock(sound.currentTime || length);
    [...wave.children].forEach((bar, index) => bar.classList.toggle("heard", share > 0 && index / BARS <= share));
  };
  const mark = (isPlaying) => {
    toggle.replaceChildren(icon(isPlaying ? "pause" : "play"));
    toggle.setAttribute("aria-label", say(isPlaying ? "pause" : "play"));
    toggle.title = say(isPlaying ? "pause" : "play");
  };
  sound.addEventListener("timeupdate", show);
  sound.addEventListener("play", () => mark(true));
  sound.addEventListener("pause", () => mark(false));
  sound.addEventListener("ended", () => {
    sound.currentTime = 0;
    show();
  });
  seek.addEventListener("input", () => {
    sound.currentTime = (Number(seek.value) / 1000) * length;
    show();
  });
  const box = el("div", { class: "voice" }, toggle, el("span", { class: "track" }, wave, seek), time);
  listen(url).then(({ address, peaks, seconds }) => {
    sound.src = address;
    length = seconds;
    [...wave.children].forEach((bar, index) => bar.style.setProperty("height", `${12 + peaks[index] * 88}%`));
    show();
  }).catch(() => box.replaceChildren(el("span", { class: "lost" }, say("fileGone"))));
  if (!file.voice) box.prepend(el("span", { class: "hidden" }, say("audio")));
  return box;
}

// Recordings of browsers do not tell their length: it is known once they are decoded.
async function listen(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`media: ${answer.status}`);
  const blob = await answer.blob();
  const address = URL.createObjectURL(blob);
  try {
    const decoded = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await blob.arrayBuffer());
    return { address, peaks: peaksOf(decoded.getChannelData(0)), seconds: decoded.duration };
  } catch {
    return { address, peaks: Array(BARS).fill(0.3), seconds: 0 };
  }
}

function peaksOf(samples) {
  const size = Math.max(1, Math.floor(samples.length / BARS));
  const peaks = Array.from({ length: BARS }, (_, bar) => {
    let peak = 0;
    for (let at = bar * size; at < Math.min(samples.length, (bar + 1) * size); at += 4) peak = Math.max(peak, Math.abs(samples[at]));
    return peak;
  });
  const loudest = Math.max(0.01, ...peaks);
  return peaks.map((peak) => peak / loudest);
}

// Records until `stop()`, which answers the recording, or `discard()`. `onTick(text)` tells the time each second.
export class Recorder {
  constructor(onTick) {
    this.onTick = onTick;
  }

  // Throws when there is no microphone, or nobody allows it.
  async start() {
    this.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
    this.recorder = new MediaRecorder(this.stream, { mimeType });
    this.pieces = [];
    this.recorder.addEventListener("dataavailable", ({ data }) => this.pieces.push(data));
    this.recorder.start();
    const began = performance.now();
    this.onTick(clock(0));
    this.timer = setInterval(() => this.onTick(clock((performance.now() - began) / 1000)), 250);
  }

  async stop() {
    const ended = new Promise((resolve) => this.recorder.addEventListener("stop", resolve, { once: true }));
    this.discard();
    await ended;
    return new Blob(this.pieces, { type: this.recorder.mimeType });
  }

  discard() {
    clearInterval(this.timer);
    this.recorder.stop();
    for (const track of this.stream.getTracks()) track.stop();
  }
}
