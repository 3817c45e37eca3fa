// How a message is called, in a quotation or a preview.

import { plain } from "./format.js";
import { say } from "./texts.js";

export const ASSISTANT = "WasAP";
const EXCERPT_CHARS = 160;

export const nameOf = (message) => (message.isMine ? say("you") : ASSISTANT);

export function excerpt(message) {
  if (message.isRevoked) return say(message.isMine ? "deletedMine" : "deleted");
  const kind = message.file ? say(message.file.kind) : message.place ? say("location") : message.card ? say("contact") : "";
  const text = plain(message.text).slice(0, EXCERPT_CHARS);
  return text || kind;
}
