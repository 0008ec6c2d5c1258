// values → a message in Slack, by SMS or WhatsApp
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { type BlockInputs, type BlockValue, numberOf, textOf } from "../block.ts";
import type { Effects, HttpRequest, SendRequest } from "../effects.ts";
import {
  attachmentsOf,
  bytesOf,
  credentialsHash,
  type Delivery,
  fillTemplate,
  notificationBlock,
  proxyDelivery,
  ROBOFLOW_MANAGED,
  required,
  type SinkRefusal,
  templateOf,
  truncate,
} from "./notification.ts";

const API = "https://slack.com/api";
const TIMEOUT_MS = 30_000;

export const slackNotification = notificationBlock({
  type: "roboflow_core/slack_notification@v1",
  description: "Posts a message, with files if there are any, to a Slack channel.",
  phrase: "tells a Slack channel",
  cooldownKey: (inputs) =>
    `slack_notification@v1:${credentialsHash(textOf(inputs, "slack_token"))}:${String(inputs.cooldown_session_key)}`,
  prepare(inputs, { effects, queries }) {
    const token = textOf(inputs, "slack_token");
    const post = {
      channel: textOf(inputs, "channel"),
      text: fillTemplate(templateOf(inputs), queries),
      files: attachmentsOf(inputs),
    };
    return {
      failure: "Failed to send Slack notification",
      destination: `Slack channel ${post.channel}`,
      secrets: [token],
      send: async () => sendPost(required(effects.http, "Sending web requests"), token, post),
    };
  },
});

interface Post {
  readonly channel: string;
  readonly text: string;
  readonly files: ReturnType<typeof attachmentsOf>;
}

async function sendPost(http: SendRequest, token: string, { channel, text, files }: Post): Promise<void> {
  const call = createCall(http, token);
  if (files.length === 0) {
    await call("chat.postMessage", { channel, text });
    return;
  }
  const uploaded: { id: string; title: string }[] = [];
  for (const { name, content } of files) {
    const place = await call("files.getUploadURLExternal", { filename: name, length: content.length });
    await uploadFile(http, String(place.upload_url), content);
    uploaded.push({ id: String(place.file_id), title: name });
  }
  const initial_comment = text;
  await call("files.completeUploadExternal", { files: JSON.stringify(uploaded), channel_id: channel, initial_comment });
}

type SlackAnswer = Readonly<Record<string, unknown>>;

/** Slack answers 200 to everything and tells in the body whether it went well. */
function createCall(http: SendRequest, token: string) {
  return async (method: string, fields: Readonly<Record<string, string | number>>): Promise<SlackAnswer> => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
    const response = await http(`${API}/${method}`, postOf(body, { authorization: `Bearer ${token}` }));
    if (!response.ok) throw inputError(`Slack answered ${response.status}`);
    const answer = (await response.json()) as SlackAnswer;
    if (answer.ok !== true) throw inputError(String(answer.error ?? "Not Available."));
    return answer;
  };
}

async function uploadFile(http: SendRequest, url: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await http(url, postOf(content));
  await response.body?.cancel();
  if (!response.ok) throw inputError(`Slack took no file and answered ${response.status}`);
}

function postOf(body: NonNullable<HttpRequest["body"]>, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) };
}

/** Characters of a plain message, and of one with pictures. */
const SMS_LIMIT = 160;
const MMS_LIMIT = 1600;

export const twilioSmsNotificationV1 = notificationBlock({
  type: "roboflow_core/twilio_sms_notification@v1",
  description: "Sends a text message to a telephone through Twilio.",
  phrase: "sends a text message",
  cooldownKey(inputs) {
    const hash = credentialsHash(textOf(inputs, "twilio_account_sid"), textOf(inputs, "twilio_auth_token"));
    return `twilio_sms_notification@v1:${hash}:${String(inputs.cooldown_session_key)}`;
  },
  prepare(inputs, { effects, queries }) {
    const text = fillTemplate(templateOf(inputs), queries);
    return twilioDelivery(effects, {
      accountSid: textOf(inputs, "twilio_account_sid"),
      authToken: textOf(inputs, "twilio_auth_token"),
      from: textOf(inputs, "sender_number"),
      to: textOf(inputs, "receiver_number"),
      text: truncate(text, numberOf(inputs, "length_limit")),
      mediaUrls: [],
    });
  },
});

export const twilioSmsNotificationV2 = notificationBlock({
  type: "roboflow_core/twilio_sms_notification@v2",
  description: "Sends a text message, with pictures if there are any, to a telephone.",
  phrase: "sends a text message",
  prepare(inputs, { effects, queries }) {
    const text = fillTemplate(templateOf(inputs), queries);
    if (inputs.sms_provider === ROBOFLOW_MANAGED) return managedDelivery(effects, inputs, text);
    return customDelivery(effects, inputs, text);
  },
});

interface TwilioMessage {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly mediaUrls: readonly string[];
}

function customDelivery(effects: Effects, inputs: BlockInputs, text: string): Delivery | SinkRefusal {
  const { twilio_account_sid: accountSid, twilio_auth_token: authToken, sender_number: from } = inputs;
  if (!isFilled(accountSid) || !isFilled(authToken) || !isFilled(from)) {
    return { refused: "Custom Twilio requires twilio_account_sid, twilio_auth_token, and sender_number" };
  }
  const media = mediaOf(inputs);
  if (media.some((item) => typeof item !== "string")) {
    // The peer puts them onto a public file host; pictures of a camera do not belong there.
    return { refused: "Twilio fetches pictures from the web: give media_url a public address instead of a picture." };
  }
  const message = { accountSid, authToken, from, to: textOf(inputs, "receiver_number") };
  return twilioDelivery(effects, {
    ...message,
    text: truncate(text, MMS_LIMIT),
    mediaUrls: media as readonly string[],
  });
}

function isFilled(value: BlockValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function twilioDelivery({ http }: Effects, message: TwilioMessage): Delivery {
  const { accountSid, authToken, from, to, text, mediaUrls } = message;
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;
  return {
    failure: "Failed to send Twilio SMS notification",
    destination: to,
    secrets: [authToken, accountSid],
    send: async () => {
      const body = new URLSearchParams({ Body: text, From: from, To: to });
      for (const media of mediaUrls) body.append("MediaUrl", media);
      const response = await required(http, "Sending web requests")(url, postOf(body, { authorization }));
      const answer = await response.text();
      if (!response.ok) throw inputError(`Twilio answered ${response.status}: ${sentenceIn(answer)}`);
    },
  };
}

/** The message of an error of Twilio; not its whole answer, which may be a page. */
function sentenceIn(answer: string): string {
  const found = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(answer);
  return found?.[1] ?? "it gave no reason";
}

function managedDelivery(effects: Effects, inputs: BlockInputs, text: string): Delivery {
  const media = mediaOf(inputs);
  const urls = media.filter((item) => typeof item === "string");
  const pictures = media.filter((item) => item instanceof ImageValue);
  const payload = {
    receiver_number: textOf(inputs, "receiver_number"),
    message: truncate(text, MMS_LIMIT),
    ...(urls.length > 0 && { media_urls: urls }),
    ...(pictures.length > 0 && { media_base64: pictures.map(toBase64Media) }),
    ...(media.length === 0 && text.length > SMS_LIMIT && { force_mms: true }),
  };
  const target = { failure: "Failed to send SMS via proxy", destination: payload.receiver_number };
  return proxyDelivery(effects, target, "apiproxy/twilio", payload);
}

function toBase64Media(picture: ImageValue): { base64: string; mimeType: string } {
  return { base64: Buffer.from(bytesOf(picture)).toString("base64"), mimeType: "image/jpeg" };
}

function mediaOf({ media_url: media }: BlockInputs): readonly BlockValue[] {
  if (media === null || media === undefined) return [];
  return Array.isArray(media) ? media : [media];
}
