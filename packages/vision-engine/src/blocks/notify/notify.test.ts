import { describe, expect, it } from "vitest";
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import { modelRegistryOf } from "../../testing/index.ts";
import type { Block, BlockInputs, BlockOutputs, BlockValue } from "../block.ts";
import type { BrokerMessage, Effects, HttpRequest, Mail, OutgoingPicture, StoredObject } from "../effects.ts";
import { emailNotificationV1, emailNotificationV2 } from "./email.ts";
import { localFileSink, s3Sink } from "./log-files.ts";
import { mqttWriterV1 } from "./mqtt-writer.ts";
import { slackNotification, twilioSmsNotificationV1, twilioSmsNotificationV2 } from "./slack-and-twilio.ts";
import { webhookSink } from "./webhook.ts";

describe("notifications", () => {
  it("start the cooldown even when sending fails, and end it by wall clock", async () => {
    const clock = { now: 0 };
    const { http, sent } = web([500, 200]);
    const run = await open(webhookSink, { http }, clock);
    const inputs = { url: "https://example.com/hook", method: "POST", fire_and_forget: false, cooldown_seconds: 5 };
    expect(await run(inputs)).toMatchObject({ error_status: true, message: expect.stringContaining("answered 500") });
    clock.now = 4999;
    expect(await run(inputs)).toMatchObject({ throttling_status: true, error_status: false });
    clock.now = 5000;
    expect(await run(inputs)).toMatchObject({ throttling_status: false, message: "Notification sent successfully" });
    expect(sent).toHaveLength(2);
  });

  it("do nothing when sinks are disabled by policy", async () => {
    const { http, sent } = web([200]);
    const run = await open(webhookSink, { http, sinksDisabled: true });
    expect(await run({ url: "https://example.com", method: "GET" })).toMatchObject({
      error_status: false,
      message: "Sink was disabled by workflow execution policy",
    });
    expect(sent).toHaveLength(0);
  });

  it("report failures in the background", async () => {
    const { http } = web([404]);
    const works: Promise<string | undefined>[] = [];
    const run = await open(webhookSink, { http, background: (work) => works.push(work) });
    expect(await run({ url: "https://example.com", method: "GET" })).toMatchObject({ error_status: false });
    expect(await works[0]).toContain("answered 404");
  });

  it("say which way out is missing", async () => {
    const run = await open(emailNotificationV1, {});
    const result = await run({ ...MAIL, fire_and_forget: false });
    expect(result).toMatchObject({
      error_status: true,
      message: expect.stringContaining("Sending mail is not set up"),
    });
  });

  it("ask before a picture leaves, and send nothing when the answer is no", async () => {
    const asked: OutgoingPicture[] = [];
    const { http, sent } = web([200, 200]);
    const effects = { http, allowPicture: async (one: OutgoingPicture) => asked.push(one) > 1 };
    const run = await open(webhookSink, effects);
    const inputs = {
      url: "https://user:pw@example.com/hook?key=k",
      method: "POST",
      multi_part_encoded_files: { picture: picture() },
      fire_and_forget: false,
      cooldown_seconds: 0,
    };
    expect(await run(inputs)).toMatchObject({
      error_status: true,
      message: expect.stringContaining("may not be sent to https://example.com/hook: nobody has allowed it."),
    });
    expect(sent).toHaveLength(0);
    expect(await run(inputs)).toMatchObject({ error_status: false });
    expect(sent).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      sink: "roboflow_core/webhook_sink@v1",
      destination: "https://example.com/hook",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("know a picture that was made text or bytes before", async () => {
    const jpeg = encodeJpegSync(picture(), 90);
    for (const message of [Buffer.from(jpeg).toString("base64"), `data: ${Buffer.from(jpeg).toString("base64")}`]) {
      const published: string[] = [];
      const connectBroker = async () => ({
        publish: async ({ payload }: BrokerMessage) => void published.push(payload),
      });
      const run = await open(mqttWriterV1, { connectBroker, allowPicture: async () => false });
      expect(await run({ host: "h", port: 1, topic: "t", message, qos: 0, timeout: 1 })).toMatchObject({
        error_status: true,
        message: "This picture may not be sent to h:1/t: nobody has allowed it.",
      });
      expect(published).toEqual([]);
    }
    const run = await open(s3Sink, { putObject: async () => undefined, allowPicture: async () => false });
    const target = {
      bucket_name: "b",
      aws_access_key_id: "a",
      aws_secret_access_key: "s",
      output_mode: "separate_files",
    };
    const text = { ...target, file_type: "txt", file_name_prefix: "f", s3_prefix: "" };
    expect(await run({ ...text, content: "no picture" })).toMatchObject({ error_status: false });
    expect(await run({ ...text, content: Buffer.from(jpeg).toString("base64") })).toMatchObject({ error_status: true });
  });

  it("never tell a secret", async () => {
    const http = async (): Promise<Response> => {
      throw new Error("cannot use Bearer xoxb-secret");
    };
    const run = await open(slackNotification, { http });
    const inputs = {
      slack_token: "xoxb-secret",
      channel: "c",
      message: "m",
      cooldown_session_key: "k",
      fire_and_forget: false,
    };
    const { message } = await run(inputs);
    expect(message).toBe("Failed to send Slack notification. Internal error details: cannot use Bearer ***");
  });
});

describe("webhook", () => {
  it("S000-2.1.6 puts the query, headers and payload, changed by operations, into the request", async () => {
    const { http, sent } = web([200]);
    const run = await open(webhookSink, { http });
    await run({
      url: "https://example.com/hook?x=1",
      method: "PUT",
      query_parameters: { tag: ["a", "b"], on: true },
      headers: { "X-Camera": 7 },
      json_payload: { name: "door", count: 3 },
      json_payload_operations: { name: [{ type: "StringToUpperCase" }] },
      fire_and_forget: false,
    });
    expect(sent[0]).toMatchObject({
      url: "https://example.com/hook?x=1&tag=a&tag=b&on=True",
      method: "PUT",
      headers: { "X-Camera": "7", "content-type": "application/json" },
      body: '{"name":"DOOR","count":3}',
    });
  });

  it("sends pictures as files beside form fields", async () => {
    const { http, sent } = web([200]);
    const run = await open(webhookSink, { http });
    const files = { frame: picture() };
    await run({
      url: "https://example.com",
      method: "POST",
      form_data: { n: 1 },
      multi_part_encoded_files: files,
      fire_and_forget: false,
    });
    const form = sent[0]?.body as FormData;
    expect(form.get("n")).toBe("1");
    const bytes = await (form.get("frame") as File).bytes();
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xd8]);
  });
});

describe("slack", () => {
  it("uploads attachments and shares them with the message", async () => {
    const answers = [{ ok: true, upload_url: "https://files.example/up", file_id: "F1" }, {}, { ok: true }];
    const sent: { url: string; body: unknown }[] = [];
    const http = async (url: string, { body }: HttpRequest): Promise<Response> => {
      sent.push({ url, body });
      return Response.json(answers[sent.length - 1]);
    };
    const run = await open(slackNotification, { http });
    const base = { slack_token: "t", channel: "C1", cooldown_session_key: "k", fire_and_forget: false };
    expect(await run({ ...base, message: "hi", attachments: { "a.txt": "data" } })).toMatchObject({
      error_status: false,
    });
    expect(sent.map(({ url }) => url.split("/").at(-1))).toEqual([
      "files.getUploadURLExternal",
      "up",
      "files.completeUploadExternal",
    ]);
    expect((sent[2]!.body as URLSearchParams).get("files")).toBe('[{"id":"F1","title":"a.txt"}]');
    expect((sent[2]!.body as URLSearchParams).get("initial_comment")).toBe("hi");
  });

  it("tells the reason that Slack gives", async () => {
    const http = async (): Promise<Response> => Response.json({ ok: false, error: "channel_not_found" });
    const run = await open(slackNotification, { http });
    const base = { slack_token: "t", channel: "C1", cooldown_session_key: "k", fire_and_forget: false };
    expect((await run({ ...base, message: "hi" })).message).toContain("channel_not_found");
  });

  it("shares its cooldown with other steps of the same token and session", async () => {
    const { http } = web([200, 200, 200]);
    const effects = { http, cooldowns: new Map<string, number>(), background: () => undefined };
    const [one, other] = [await open(slackNotification, effects), await open(slackNotification, effects)];
    const base = { slack_token: "t", channel: "C1", message: "hi", cooldown_session_key: "door" };
    expect(await one(base)).toMatchObject({ throttling_status: false });
    expect(await other(base)).toMatchObject({ throttling_status: true });
    expect(await other({ ...base, cooldown_session_key: "gate" })).toMatchObject({ throttling_status: false });
  });
});

describe("twilio", () => {
  it("cuts a message to its limit and logs in", async () => {
    const { http, sent } = web([200]);
    const run = await open(twilioSmsNotificationV1, { http });
    const account = { twilio_account_sid: "AC1", twilio_auth_token: "token", sender_number: "1", receiver_number: "2" };
    await run({
      ...account,
      message: "x".repeat(50),
      length_limit: 20,
      cooldown_session_key: "k",
      fire_and_forget: false,
    });
    expect(sent[0]?.url).toBe("https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json");
    expect(sent[0]?.headers?.authorization).toBe(`Basic ${btoa("AC1:token")}`);
    expect((sent[0]!.body as URLSearchParams).get("Body")).toBe(`${"x".repeat(14)} [...]`);
  });

  it("does not put a camera's picture onto the public web", async () => {
    const { http, sent } = web([200]);
    const run = await open(twilioSmsNotificationV2, { http });
    const account = { twilio_account_sid: "AC1", twilio_auth_token: "token", sender_number: "1", receiver_number: "2" };
    const result = await run({
      ...account,
      sms_provider: "Custom Twilio",
      message: "m",
      media_url: picture(),
      fire_and_forget: false,
    });
    expect(result).toMatchObject({ error_status: true, message: expect.stringContaining("public address") });
    expect(sent).toHaveLength(0);
  });
});

const MAIL = {
  subject: "Alarm",
  sender_email: "from@example.com",
  receiver_email: "to@example.com",
  smtp_server: "mail.example.com",
  sender_email_password: "password",
  message: "{{ $parameters.what }} at the door",
  message_parameters: { what: "a <person>" },
};

describe("mail", () => {
  it("is plain text in v1 and goes to copies too", async () => {
    const { mail, sent } = mailbox();
    const run = await open(emailNotificationV1, { mail });
    await run({
      ...MAIL,
      bcc_receiver_email: ["b@example.com"],
      attachments: { "a.csv": "1,2" },
      fire_and_forget: false,
    });
    expect(sent[0]).toMatchObject({
      body: { kind: "text", content: "a <person> at the door" },
      bcc: ["b@example.com"],
    });
    expect(sent[0]?.attachments[0]).toMatchObject({ name: "a.csv" });
  });

  it("is HTML in v2, with values escaped and pictures shown", async () => {
    const { mail, sent } = mailbox();
    const run = await open(emailNotificationV2, { mail });
    await run({
      ...MAIL,
      email_provider: "Custom SMTP",
      message: "<b>Look</b>\n{{ $parameters.what }}: {{ $parameters.frame }}",
      message_parameters: { what: "a <person>", frame: picture() },
      attachments: { crop: picture() },
      fire_and_forget: false,
    });
    expect(sent[0]?.body.content).toMatch(/^<b>Look<\/b><br>\na &lt;person&gt;: <img src="cid:image_frame"/);
    expect(sent[0]?.attachments.map(({ name, cid }) => [name, cid])).toEqual([
      ["frame.jpg", "image_frame"],
      ["crop.jpg", undefined],
    ]);
  });
});

describe("local file", () => {
  it("keeps a log with one header, and begins another file when it is full", async () => {
    const { files, written } = folder();
    const run = await open(localFileSink, { files });
    for (const row of [1, 2, 3]) await run({ ...CSV, content: `a,b\n${row},x\n`, max_entries_per_file: 2 });
    expect([...written.values()]).toEqual(["a,b\n1,x\n2,x\n", "a,b\n3,x\n"]);
    expect([...written.keys()][0]).toMatch(/^\/out\/log_\d{4}(_\d\d){5}_\d{6}\.csv$/);
  });

  it("gives each separate file its own name within one millisecond", async () => {
    const { files, written } = folder();
    const run = await open(localFileSink, { files });
    for (const text of ["one", "two"])
      await run({ ...CSV, file_type: "txt", output_mode: "separate_files", content: text });
    expect([...written.values()]).toEqual(["one\n", "two\n"]);
  });

  it("writes JSON on one line and refuses what is not JSON", async () => {
    const { files, written } = folder();
    const run = await open(localFileSink, { files });
    await run({ ...CSV, file_type: "json", content: '{\n "a": [1]\n}' });
    expect([...written.values()]).toEqual(['{"a": [1]}\n']);
    expect(await run({ ...CSV, file_type: "json", content: "{" })).toMatchObject({ message: "Invalid JSON content" });
  });

  it("raises when files are not allowed at all", async () => {
    const run = await open(localFileSink, {});
    await expect(run({ ...CSV, content: "x" })).rejects.toMatchObject({ type: "RuntimeError" });
  });
});

describe("s3", () => {
  const S3 = {
    ...csvLog(),
    bucket_name: "b",
    s3_prefix: "logs/",
    aws_access_key_id: "id",
    aws_secret_access_key: "key",
  };

  it("uploads the whole log each time", async () => {
    const objects: StoredObject[] = [];
    const run = await open(s3Sink, { putObject: async (object) => void objects.push(object) });
    for (const row of [1, 2]) await run({ ...S3, content: `a\n${row}` });
    expect(objects.map(({ content }) => content)).toEqual(["a\n1\n", "a\n1\n2\n"]);
    expect(objects[1]?.key).toBe(objects[0]?.key);
    expect(objects[0]?.key).toMatch(/^logs\/log_/);
  });

  it("needs the keys of the workflow", async () => {
    const run = await open(s3Sink, { putObject: async () => undefined });
    await expect(run({ ...S3, aws_access_key_id: null, content: "x" })).rejects.toMatchObject({ type: "ValueError" });
  });
});

describe("mqtt", () => {
  const MESSAGE = { host: "broker", port: 1883, topic: "t", message: "m" };
  const broken: Effects = { connectBroker: () => Promise.reject(new Error("refused")) };

  it("reports a broker that is away", async () => {
    const run = await open(mqttWriterV1, broken);
    expect(await run(MESSAGE)).toEqual({ error_status: true, message: "Failed to connect to MQTT broker: refused" });
  });

  it("stops the run instead when it is to fail fast", async () => {
    const run = await open(mqttWriterV1, broken);
    await expect(run({ ...MESSAGE, fail_fast: true })).rejects.toThrow("refused");
  });
});

const CSV = csvLog();

function csvLog() {
  return { file_type: "csv", output_mode: "append_log", target_directory: "/out", file_name_prefix: "log" } as const;
}

type Given = Readonly<Record<string, unknown>>;

/** Runs a block with the defaults of its manifest. */
async function open(
  block: Block,
  effects: Effects,
  clock = { now: 0 },
): Promise<(given: Given) => Promise<BlockOutputs>> {
  const instance = await block.create({
    step: { name: "sink", properties: {} },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => clock.now,
    random: () => 0.5,
    effects,
    memory: new Map(),
  });
  const defaults = Object.fromEntries(
    block.manifest.properties.map(({ name, default: value = null }) => [name, value as BlockValue]),
  );
  return async (given) => (await instance.run({ ...defaults, ...given } as BlockInputs)) as BlockOutputs;
}

function web(statuses: readonly number[]) {
  const sent: ({ url: string } & HttpRequest)[] = [];
  const http = async (url: string, request: HttpRequest): Promise<Response> => {
    sent.push({ url, ...request });
    return new Response("{}", { status: statuses[sent.length - 1] ?? 200 });
  };
  return { http, sent };
}

function mailbox() {
  const sent: Mail[] = [];
  return { sent, mail: async (mail: Mail) => void sent.push(mail) };
}

function folder() {
  const written = new Map<string, string>();
  const files = {
    locate: (path: string) => path,
    write: async (path: string, content: string, mode: "append" | "replace") => {
      written.set(path, mode === "append" ? (written.get(path) ?? "") + content : content);
    },
  };
  return { files, written };
}

function picture(): ImageValue {
  return new ImageValue({ width: 8, height: 8, rgba: new Uint8ClampedArray(256).fill(200) });
}
