// a request whose answer may take hours → its answer
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

export interface PatientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Like `fetch`, which gives up when nothing has come for five minutes. Rejects as it does when nobody answers. */
export function patientFetch(url: string, { method, headers, body }: PatientRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const sent = send(url, { method, headers, agent: false }, (answer) => {
    const { statusCode: status = 500 } = answer;
    const content = WITHOUT_BODY.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
    resolve(new Response(content, { status }));
  });
  sent.once("error", reject).end(body);
  return promise;
}
