// mail of a sink → mail server
import type { Mail } from "../blocks/effects.ts";

export interface MailerOptions {
  /** Certificate (PEM) to trust besides the well-known ones. */
  readonly ca?: string;
  /** How long a server may keep silent. Default 30 seconds. */
  readonly timeoutMs?: number;
}

/** Ports on which encryption begins after the greeting; everywhere else it is there from the start. */
const STARTTLS_PORTS = [25, 587, 2525];

/** Delivers to all receivers; those of the blind copy are named nowhere. */
export function createMailer({ ca, timeoutMs = 30_000 }: MailerOptions = {}): (mail: Mail) => Promise<void> {
  return async ({ server, from, to, cc, bcc, subject, body, attachments }) => {
    const startsPlain = STARTTLS_PORTS.includes(server.port);
    // Loaded when the first mail goes: most workflows send none.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host: server.host,
      port: server.port,
      secure: !startsPlain,
      requireTLS: startsPlain,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      ...(ca !== undefined && { tls: { ca } }),
      ...(server.login !== undefined && { auth: { user: server.login.user, pass: server.login.password } }),
    });
    try {
      await transport.sendMail({
        from,
        to: [...to],
        cc: [...cc],
        bcc: [...bcc],
        subject,
        ...(body.kind === "html" ? { html: body.content } : { text: body.content }),
        attachments: attachments.map(({ name, content, cid }) => ({
          filename: name,
          content: Buffer.from(content),
          ...(cid !== undefined && { cid, contentDisposition: "inline" as const }),
        })),
      });
    } finally {
      transport.close();
    }
  };
}
