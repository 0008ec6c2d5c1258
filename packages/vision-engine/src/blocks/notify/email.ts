// message, pictures and files → mail
import { ImageValue } from "../../frames/image-value.ts";
import { type BlockInputs, type BlockValue, isDictionary, numberOf, textOf } from "../block.ts";
import type { Effects, Mail, MailAttachment } from "../effects.ts";
import {
  applyOperations,
  attachmentsOf,
  bytesOf,
  type Delivery,
  dictionaryOf,
  fillTemplate,
  type NotificationTools,
  notificationBlock,
  proxyDelivery,
  ROBOFLOW_MANAGED,
  required,
  templateOf,
} from "./notification.ts";

export const emailNotificationV1 = notificationBlock({
  type: "roboflow_core/email_notification@v1",
  description: "Sends a mail through a mail server of yours.",
  phrase: "sends a mail",
  prepare(inputs, { effects, queries }) {
    const content = fillTemplate(templateOf(inputs), queries);
    return mailDelivery(effects, mailOf(inputs, { kind: "text", content }, attachmentsOf(inputs)));
  },
});

export const emailNotificationV2 = notificationBlock({
  type: "roboflow_core/email_notification@v2",
  description: "Sends a mail with pictures, through a mail server of yours or through Roboflow.",
  phrase: "sends a mail",
  prepare(inputs, tools) {
    if (inputs.email_provider === ROBOFLOW_MANAGED) return managedDelivery(inputs, tools);
    if (!inputs.sender_email || !inputs.smtp_server || !inputs.sender_email_password) {
      return { refused: "Custom SMTP requires sender_email, smtp_server, and sender_email_password" };
    }
    const { html, pictures } = htmlOf(inputs, tools);
    const files = Object.entries(dictionaryOf(inputs, "attachments")).map(toNamedAttachment);
    return mailDelivery(tools.effects, mailOf(inputs, { kind: "html", content: html }, [...pictures, ...files]));
  },
});

function mailOf(inputs: BlockInputs, body: Mail["body"], attachments: readonly MailAttachment[]): Mail {
  const from = textOf(inputs, "sender_email");
  return {
    server: {
      host: textOf(inputs, "smtp_server"),
      port: numberOf(inputs, "smtp_port"),
      login: { user: from, password: textOf(inputs, "sender_email_password") },
    },
    from,
    to: addressesOf(inputs.receiver_email),
    cc: addressesOf(inputs.cc_receiver_email),
    bcc: addressesOf(inputs.bcc_receiver_email),
    subject: textOf(inputs, "subject"),
    body,
    attachments,
  };
}

function addressesOf(value: BlockValue | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function mailDelivery({ mail }: Effects, message: Mail): Delivery {
  return {
    failure: "Failed to send e-mail",
    destination: [...message.to, ...message.cc, ...message.bcc].join(", "),
    secrets: [message.server.login?.password ?? ""],
    send: async () => required(mail, "Sending mail")(message),
  };
}

/** A picture gets the ending of its format. */
function toNamedAttachment([name, value]: readonly [string, BlockValue]): MailAttachment {
  const isNamed = !(value instanceof ImageValue) || /\.jpe?g$/i.test(name);
  return { name: isNamed ? name : `${name}.jpg`, content: bytesOf(value) };
}

/** Pictures are shown in the text, other values are escaped; the template itself may hold HTML. */
function htmlOf(
  inputs: BlockInputs,
  { queries }: NotificationTools,
): { html: string; pictures: readonly MailAttachment[] } {
  const pictures = new Map<string, MailAttachment>();
  const html = fillTemplate(templateOf(inputs), queries, ({ name, value, text }) => {
    if (!(value instanceof ImageValue)) return escapeHtml(text);
    const cid = `image_${name}`;
    pictures.set(cid, { name: `${name}.jpg`, content: bytesOf(value), cid });
    return `<img src="cid:${cid}" alt="${name}" style="max-width: 600px; height: auto;">`;
  });
  return { html: html.replaceAll("\n", "<br>\n"), pictures: [...pictures.values()] };
}

function escapeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#x27;",
  };
  return text.replace(/[&<>"']/g, (character) => escapes[character]!);
}

function managedDelivery(inputs: BlockInputs, { effects, queries }: NotificationTools): Delivery {
  const attachments = Object.entries(dictionaryOf(inputs, "attachments")).map(toNamedAttachment);
  const { message, parameters, operations } = templateOf(inputs);
  const [cc, bcc] = [addressesOf(inputs.cc_receiver_email), addressesOf(inputs.bcc_receiver_email)];
  const payload = {
    receiver_email: addressesOf(inputs.receiver_email),
    subject: textOf(inputs, "subject"),
    message,
    message_parameters: toPayload(applyOperations(parameters, operations, queries)),
    ...(cc.length > 0 && { cc_receiver_email: cc }),
    ...(bcc.length > 0 && { bcc_receiver_email: bcc }),
    ...(attachments.length > 0 && {
      attachments: Object.fromEntries(attachments.map(({ name, content }) => [name, toBase64(content)])),
    }),
  };
  const destination = [...payload.receiver_email, ...cc, ...bcc].join(", ");
  return proxyDelivery(effects, { failure: "Failed to send e-mail via proxy", destination }, "apiproxy/email", payload);
}

/** Pictures as base64, also inside lists and dictionaries. */
function toPayload(value: BlockValue): unknown {
  if (value instanceof ImageValue) return toBase64(bytesOf(value));
  if (Array.isArray(value)) return value.map(toPayload);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toPayload(item)]));
}

function toBase64(content: Uint8Array): string {
  return Buffer.from(content).toString("base64");
}
