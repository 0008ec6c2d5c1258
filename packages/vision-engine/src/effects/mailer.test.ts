import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import type { Mail } from "../blocks/effects.ts";
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from "./__fixtures__/localhost-certificate.ts";
import { createMailer } from "./create-effects.ts";

describe("mailer", () => {
  it("delivers to all receivers and names those of the blind copy nowhere", async () => {
    const { port, received } = await listen("password");
    await createMailer({ ca: LOCALHOST_CERTIFICATE })(mailTo(port, "password"));
    expect(received[0]?.to).toEqual(["to@example.com", "cc@example.com", "bcc@example.com"]);
    expect(received[0]?.text).not.toContain("bcc@example.com");
    expect(received[0]?.text).toContain("Subject: Alarm");
    expect(received[0]?.text).toContain('src="cid:image_frame"');
    expect(received[0]?.text).toContain("Content-ID: <image_frame>");
    expect(received[0]?.text).toContain("filename=report.csv");
  });

  it("fails without telling the password when the server does not take it", async () => {
    const { port } = await listen("other");
    const sent = createMailer({ ca: LOCALHOST_CERTIFICATE })(mailTo(port, "wrong-password"));
    await expect(sent).rejects.toThrow(/^(?!.*wrong-password)/);
  });

  it("reaches no server in the local network unless that is allowed", async () => {
    const { port, received } = await listen("password");
    const send = createMailer({ ca: LOCALHOST_CERTIFICATE, publicOnly: true });
    for (const host of ["localhost", "127.0.0.1", "::1", "192.168.1.2"]) {
      const mail = mailTo(port, "password");
      await expect(send({ ...mail, server: { ...mail.server, host } })).rejects.toThrow("is not a public address");
    }
    expect(received).toEqual([]);
  });

  it("does not trust a certificate that nobody vouches for", async () => {
    const { port } = await listen("password");
    await expect(createMailer()(mailTo(port, "password"))).rejects.toThrow();
  });
});

function mailTo(port: number, password: string): Mail {
  return {
    server: { host: "localhost", port, login: { user: "from@example.com", password } },
    from: "from@example.com",
    to: ["to@example.com"],
    cc: ["cc@example.com"],
    bcc: ["bcc@example.com"],
    subject: "Alarm",
    body: { kind: "html", content: '<img src="cid:image_frame">' },
    attachments: [
      { name: "frame.jpg", content: Uint8Array.of(1, 2, 3), cid: "image_frame" },
      { name: "report.csv", content: new TextEncoder().encode("a,b") },
    ],
  };
}

const open: SMTPServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise<void>((done) => server.close(() => done()));
});

async function listen(password: string) {
  const received: { to: readonly string[]; text: string }[] = [];
  const server = new SMTPServer({
    secure: true,
    key: LOCALHOST_KEY,
    cert: LOCALHOST_CERTIFICATE,
    onAuth: (auth, _, done) => (auth.password === password ? done(null, { user: "from" }) : done(new Error("no"))),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  open.push(server);
  return { port: (server.server.address() as AddressInfo).port, received };
}
