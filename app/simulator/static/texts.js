// Every sentence of the page, in the two languages that the assistant speaks.

const EN = {
  addPerson: "Add a person", renamePerson: "Rename {name}", personName: "Name", save: "Save",
  personFailed: "That did not work: there may be no phone left, or the name is too long.",
  stop: "Stop", seconds: "{count} s", thumbUp: "Good answer", thumbDown: "Bad answer",
  simulator: "simulator", phones: "Whose phone", sideBySide: "Side by side", message: "Message",
  placeholder: "Type a message", send: "Send", cancel: "Cancel", close: "Close", toNewest: "Go to the newest message",
  typing: "typing…", ready: "online", you: "You", chatOf: "Chat of {name}", toLight: "Light colours",
  toDark: "Dark colours", toOther: "ES: español", laboratory: "Behind the scenes", unread: "{count} new",
  menu: "Message menu", reply: "Reply", copy: "Copy", edit: "Edit", remove: "Delete for everyone",
  react: "React with {emoji}", reactions: "Reactions: {emojis}", edited: "Edited", deleted: "This message was deleted",
  deletedMine: "You deleted this message", today: "Today", yesterday: "Yesterday", replyingTo: "Reply to {name}",
  editing: "Edit message", showQuoted: "Go to the quoted message", pending: "sending", sent: "sent",
  delivered: "delivered", read: "read", failed: "failed", notDelivered: "The assistant did not take it.",
  undelivered: "Not delivered (error {code})", retry: "Try again", offline: "Connection lost. Trying again…",
  fetching: "Downloading the model: {percent} %", fetchingUnknown: "Downloading the model…",
  loading: "The model is waking up…", unavailable: "The model is not available. {detail}",
  image: "Photo", video: "Video", audio: "Voice message", document: "Document", sticker: "Sticker",
  location: "Location", attach: "Attach", attachPhoto: "Photo or video", attachDocument: "Document",
  attachLocation: "Location", contact: "Contact", whichPlace: "Which place?", whichContact: "Whose contact?",
  removePerson: "Remove this phone", removeAbout: "The assistant keeps what it knows of them. To erase that, write /forget-me as them first.",
  caption: "Add a caption", attachment: "Attachment", tooLarge: "A file has 16 MB at most.",
  uploadFailed: "The file could not be uploaded.", download: "Download", fileGone: "This file is no longer kept",
  record: "Record a voice message", recording: "Recording", discard: "Discard", noMicrophone: "No microphone to record with.",
  play: "Play", pause: "Pause", seek: "Position", openPhoto: "Open the photo", choose: "Choose one",
  emptyTitle: "Talk to your assistant",
  emptyText: "This chat is simulated: nothing goes to WhatsApp, and no account is needed. " +
    "Every message takes the same way through the assistant as a real one.",
  examples: ["/help", "Explain in two sentences what a webhook is", "Suggest three dinners with rice and eggs"],
  wire: "Wire", turns: "Turns", clock: "Clock", faults: "Faults",
  wireAbout: "What really went over the wire. Secrets are masked.",
  all: "All", webhooks: "Webhooks", graphCalls: "Graph calls", nothingYet: "Nothing yet. Write a message.",
  toService: "to the service", fromService: "from the service", headers: "Headers", body: "Body", answer: "Answer",
  noAnswer: "no answer", emptyBody: "empty",
  turnsAbout: "The path of each message: from the inbox to the outbox.", pathUnknown: "It has not arrived.",
  inbox: "Inbox", categories: "Categories", recalled: "Recalled", offered: "Tools offered", used: "Tools used", model: "Model",
  outbox: "Outbox", none: "none", attempts: "{count} attempts", took: "{duration} in all",
  calls: "{count} calls", oneCall: "1 call", tokens: "{prompt} tokens read ({cached} from the cache), {completion} written",
  stillRunning: "still at work", noModel: "answered without the model", reaction: "Reaction",
  clockAbout: "Service and WhatsApp live by this clock. It only goes forward.", clockFixed: "The time of this service cannot be moved.",
  ahead: "{duration} ahead", onTime: "on time", jump: "Jump ahead", jumpHours: "{hours} h",
  jumpPast: "25 h, past the window", windows: "24-hour window", due: "What is due", dueNothing: "nothing yet", windowOpen: "open, {duration} left",
  windowClosed: "closed", windowNever: "has not written yet",
  faultsAbout: "Each one stays on until it is switched off.", allOff: "All off", faultsOn: "{count} faults on",
  oneFaultOn: "1 fault on", clockAhead: "clock {duration} ahead",
  token_expired: ["Token expired", "Every Graph call is refused: 190"],
  pair_rate: ["Too many to one person", "Sends are refused: 131056"],
  window_closed: ["Window closed", "Sends are refused: 131047"],
  undeliverable: ["Undeliverable", "Sends are taken, then fail: 131026"],
  late_webhooks: ["Late webhooks", "They arrive after 8 seconds"],
  repeated_webhooks: ["Repeated webhooks", "Each one is posted twice"],
  slow: ["Graph is slow", "It answers after 6 seconds"],
  down: ["Graph is down", "Nobody answers there"],
  controlFailed: "That did not work.",
};

const ES = {
  addPerson: "Añadir a alguien", renamePerson: "Cambiar el nombre de {name}", personName: "Nombre", save: "Guardar",
  personFailed: "No funcionó: quizá no queda ningún teléfono, o el nombre es demasiado largo.",
  stop: "Detener", seconds: "{count} s", thumbUp: "Buena respuesta", thumbDown: "Mala respuesta",
  simulator: "simulador", phones: "El teléfono de", sideBySide: "Lado a lado", message: "Mensaje",
  placeholder: "Escribe un mensaje", send: "Enviar", cancel: "Cancelar", close: "Cerrar",
  toNewest: "Ir al último mensaje", typing: "escribiendo…", ready: "en línea", you: "Tú", chatOf: "Chat de {name}",
  toLight: "Colores claros", toDark: "Colores oscuros", toOther: "EN: English", laboratory: "Entre bastidores",
  unread: "{count} nuevos", menu: "Menú del mensaje", reply: "Responder", copy: "Copiar", edit: "Editar",
  remove: "Eliminar para todos", react: "Reaccionar con {emoji}", reactions: "Reacciones: {emojis}", edited: "Editado",
  deleted: "Se eliminó este mensaje", deletedMine: "Eliminaste este mensaje", today: "Hoy", yesterday: "Ayer",
  replyingTo: "Respuesta a {name}", editing: "Editar mensaje", showQuoted: "Ir al mensaje citado",
  pending: "enviando", sent: "enviado", delivered: "entregado", read: "leído", failed: "falló",
  notDelivered: "El asistente no lo recibió.", undelivered: "No entregado (error {code})", retry: "Reintentar",
  offline: "Se perdió la conexión. Reintentando…", fetching: "Descargando el modelo: {percent} %",
  fetchingUnknown: "Descargando el modelo…", loading: "El modelo está despertando…",
  unavailable: "El modelo no está disponible. {detail}",
  image: "Foto", video: "Video", audio: "Mensaje de voz", document: "Documento", sticker: "Sticker",
  location: "Ubicación", attach: "Adjuntar", attachPhoto: "Foto o video", attachDocument: "Documento",
  attachLocation: "Ubicación", contact: "Contacto", whichPlace: "¿Qué lugar?", whichContact: "¿El contacto de quién?",
  removePerson: "Quitar este teléfono", removeAbout: "El asistente conserva lo que sabe de esta persona. Para borrarlo, escribe antes /forget-me como ella.",
  caption: "Añade un comentario", attachment: "Adjunto",
  tooLarge: "Un archivo tiene 16 MB como máximo.", uploadFailed: "No se pudo subir el archivo.",
  download: "Descargar", fileGone: "Este archivo ya no se conserva", record: "Grabar un mensaje de voz",
  recording: "Grabando", discard: "Descartar", noMicrophone: "No hay micrófono para grabar.",
  play: "Reproducir", pause: "Pausar", seek: "Posición", openPhoto: "Abrir la foto", choose: "Elige una opción",
  emptyTitle: "Habla con tu asistente",
  emptyText: "Este chat es simulado: nada llega a WhatsApp y no hace falta ninguna cuenta. " +
    "Cada mensaje recorre en el asistente el mismo camino que uno real.",
  examples: ["/ayuda", "Explica en dos frases qué es un webhook", "Propón tres cenas con arroz y huevos"],
  wire: "Red", turns: "Turnos", clock: "Reloj", faults: "Fallas",
  wireAbout: "Lo que de verdad pasó por la red. Los secretos van tapados.",
  all: "Todo", webhooks: "Webhooks", graphCalls: "Llamadas a Graph", nothingYet: "Nada todavía. Escribe un mensaje.",
  toService: "hacia el servicio", fromService: "desde el servicio", headers: "Cabeceras", body: "Cuerpo",
  answer: "Respuesta", noAnswer: "sin respuesta", emptyBody: "vacío",
  turnsAbout: "El camino de cada mensaje: de la bandeja de entrada a la de salida.", pathUnknown: "No ha llegado.",
  inbox: "Entrada", categories: "Categorías", recalled: "Recordado", offered: "Herramientas ofrecidas", used: "Herramientas usadas",
  model: "Modelo", outbox: "Salida", none: "ninguna", attempts: "{count} intentos", took: "{duration} en total",
  calls: "{count} llamadas", oneCall: "1 llamada",
  tokens: "{prompt} tokens leídos ({cached} de la caché), {completion} escritos",
  stillRunning: "en curso", noModel: "respondido sin el modelo", reaction: "Reacción",
  clockAbout: "El servicio y WhatsApp viven con este reloj. Solo avanza.",
  clockFixed: "La hora de este servicio no se puede mover.",
  ahead: "{duration} de adelanto", onTime: "en hora", jump: "Avanzar", jumpHours: "{hours} h",
  jumpPast: "25 h, pasada la ventana", windows: "Ventana de 24 horas", due: "Lo que viene", dueNothing: "nada todavía", windowOpen: "abierta, quedan {duration}",
  windowClosed: "cerrada", windowNever: "aún no ha escrito",
  faultsAbout: "Cada una sigue activa hasta que se apaga.", allOff: "Apagar todas", faultsOn: "{count} fallas activas",
  oneFaultOn: "1 falla activa", clockAhead: "reloj {duration} adelantado",
  token_expired: ["Token vencido", "Graph rechaza toda llamada: 190"],
  pair_rate: ["Demasiados a una persona", "Rechaza los envíos: 131056"],
  window_closed: ["Ventana cerrada", "Rechaza los envíos: 131047"],
  undeliverable: ["No se puede entregar", "Acepta los envíos y luego fallan: 131026"],
  late_webhooks: ["Webhooks tardíos", "Llegan a los 8 segundos"],
  repeated_webhooks: ["Webhooks repetidos", "Cada uno se publica dos veces"],
  slow: ["Graph va lento", "Responde a los 6 segundos"],
  down: ["Graph está caído", "Allí nadie responde"],
  controlFailed: "Eso no funcionó.",
};

const chosen = localStorage.getItem("language") ?? navigator.language.toLowerCase();

export const LANGUAGE = chosen.startsWith("es") ? "es" : "en";

const TEXTS = LANGUAGE === "es" ? ES : EN;

export const say = (key, values = {}) =>
  Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), TEXTS[key]);

export function switchLanguage() {
  localStorage.setItem("language", LANGUAGE === "es" ? "en" : "es");
  location.reload();
}

export const timeOf = (at) => new Date(at).toLocaleTimeString(LANGUAGE, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

const UNITS = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

// The two largest units: "1 d 2 h", "3 min 4 s", "0 s".
export function duration(seconds) {
  let left = Math.max(0, Math.round(seconds));
  const parts = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count) parts.push(`${count} ${name}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}

export const milliseconds = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toLocaleString(LANGUAGE, { maximumFractionDigits: 1 })} s`);
