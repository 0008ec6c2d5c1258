// message and files → Slack channel
import { inputError } from "../../errors.ts";
import { textOf } from "../block-inputs.ts";
import type { HttpRequest, SendRequest } from "../effects.ts";
import { credentialsHash } from "./credentials-hash.ts";
import { dictionaryOf, fillTemplate, templateOf } from "./message-text.ts";
import { notificationBlock, required, SENT } from "./notification.ts";
import { bytesOf } from "./webhook.ts";

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
      text: fillTemplate(templateOf(inputs, textOf(inputs, "message")), queries),
      files: Object.entries(dictionaryOf(inputs, "attachments")).map(([name, value]) => ({
        name,
        content: bytesOf(value),
      })),
    };
    return {
      failure: "Failed to send Slack notification",
      secrets: [token],
      send: async () => {
        await sendPost(required(effects.http, "Sending web requests"), token, post);
        return SENT;
      },
    };
  },
});

interface Post {
  readonly channel: string;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly content: Uint8Array<ArrayBuffer> }[];
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
