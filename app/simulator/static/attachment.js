// What a message carries besides words: pictures, films, voice, documents, places, contacts.

import { mediaUrl } from "./api.js";
import { byId, el, hidden, icon } from "./dom.js";
import { say } from "./texts.js";
import { voicePlayer } from "./voice.js";

export function attachment(file) {
  // A file that we were sent a link to is never fetched: the page asks no other host for anything.
  if (!file.id) return el("a", { class: "document", href: file.link, target: "_blank", rel: "noopener noreferrer" }, documentCard(file));
  const url = mediaUrl(file.id);
  switch (file.kind) {
    case "image": return photo(url, file);
    case "sticker": return picture(url, "sticker", say("sticker"));
    case "video": return withFallback(el("video", { class: "video", src: url, controls: true, preload: "metadata" }));
    case "audio": return voicePlayer(url, file);
    default: return el("a", {
      class: "document", href: url, download: file.filename ?? "",
    }, hidden(say("download")), documentCard(file), icon("download"));
  }
}

const nameOf = (file) => file.filename ?? say("document");

function typeOf(file) {
  return (file.filename?.split(".").pop() ?? file.mime_type?.split("/").pop() ?? "").slice(0, 8).toUpperCase() || say("document");
}

function documentCard(file) {
  return [
    el("span", { class: "sheet-icon" }, icon("file")),
    el("span", { class: "words" }, el("strong", {}, nameOf(file)), el("small", {}, typeOf(file))),
  ];
}

function photo(url, file) {
  const image = picture(url, "", file.caption || say("image"));
  const open = () => {
    byId("viewer-image").src = url;
    byId("viewer-image").alt = file.caption || say("image");
    byId("viewer").showModal();
  };
  return el("button", { type: "button", class: "photo", "aria-label": say("openPhoto"), onclick: open }, image);
}

const picture = (url, className, alt) => withFallback(el("img", { class: className, src: url, alt, loading: "lazy" }));

function withFallback(media) {
  media.addEventListener("error", () => media.replaceWith(el("span", { class: "lost" }, say("fileGone"))), { once: true });
  return media;
}

export function locationCard(place) {
  const point = `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`;
  return el("div", { class: "place" },
    el("span", { class: "sheet-icon" }, icon("pin")),
    el("span", { class: "words" }, el("strong", {}, place.name ?? say("location")), el("small", {}, point)));
}

export function contactCard(card) {
  return el("div", { class: "place" },
    el("span", { class: "sheet-icon" }, icon("person")),
    el("span", { class: "words" }, el("strong", {}, card.name), el("small", {}, `+${card.wa_id}`)));
}
