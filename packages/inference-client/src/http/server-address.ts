import { clientError } from "../errors.ts";

/** Where a server is, with what must not be shown kept apart. */
export interface ServerAddress {
  /** Without credentials, query or trailing slash: fit for a log. */
  readonly url: string;
  readonly isHttps: boolean;
  /** `user:password` of the address, for a proxy in front of the server. */
  readonly credentials: string | undefined;
  /** `api_key` of the address's query. */
  readonly apiKey: string | undefined;
  /** Roboflow's own servers take models by path and one picture per call. */
  readonly isHosted: boolean;
}

const HOSTED = /^(?:serverless\.roboflow\.(?:com|eu)|(?:detect|outline|classify)\.roboflow\.com)$/;

/** Throws `invalid` for what is no http address. */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw clientError(
      "invalid",
      "The address of the Inference server must begin with http:// or https://, for example http://127.0.0.1:9001.",
    );
  }
  const { username, password } = url;
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    isHttps: url.protocol === "https:",
    credentials: username === "" ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    apiKey: url.searchParams.get("api_key") ?? undefined,
    isHosted: HOSTED.test(url.hostname),
  };
}
