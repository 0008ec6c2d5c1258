/** An HTTP request of a sink; a `fetch` fits, but for a GET with a body. */
export type SendRequest = (url: string, request: HttpRequest) => Promise<Response>;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams;
  readonly signal?: AbortSignal;
}

/** A mail, ready to go. */
export interface Mail {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Absent sends without logging in. */
    readonly login?: { readonly user: string; readonly password: string };
  };
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: { readonly kind: "text" | "html"; readonly content: string };
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string;
  readonly content: Uint8Array;
  /** Name under which the HTML of the mail shows it; absent for an ordinary attachment. */
  readonly cid?: string;
}

/** Where a broker is and how to log in. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly login?: { readonly user: string; readonly password: string };
  /** Encrypts; `caPath` names a file with the certificate to trust besides the well-known ones. */
  readonly tls?: { readonly caPath?: string };
  /** How long connecting may take. */
  readonly timeoutMs: number;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  readonly timeoutMs: number;
}

/** A connection to a broker. Kept by those who opened it. */
export interface Broker {
  publish(message: BrokerMessage): Promise<void>;
}

/** Where sinks may write files. */
export interface FilePlace {
  /** The whole path that a path stands for. Throws a `ValueError` when it lies outside of what is allowed. */
  locate(path: string): string;
  /** Appends, or writes anew so that nobody ever reads half a file; makes folders. Throws when it cannot. */
  write(path: string, content: string, mode: "append" | "replace"): Promise<void>;
}

/** An object for S3. */
export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly content: string;
  readonly contentType: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region?: string;
}

/** A picture that a sink is about to send. */
export interface OutgoingPicture {
  /** Name of the camera; absent when the sink was given text that holds a picture. */
  readonly camera?: string;
  /** Type of the block that sends it. */
  readonly sink: string;
  /** An address without its query, recipients, a channel, a topic or a bucket. */
  readonly destination: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The ways out of the process. A sink whose way is missing says so in its `message`. Errors never tell secrets. */
export interface Effects {
  readonly http?: SendRequest;
  readonly mail?: (mail: Mail) => Promise<void>;
  /** Gives the connection that is open already, if there is one. */
  readonly connectBroker?: (address: BrokerAddress) => Promise<Broker>;
  readonly files?: FilePlace;
  readonly putObject?: (object: StoredObject) => Promise<void>;
  /** Services of Roboflow that send in its name: `apiproxy/email`, `apiproxy/twilio`. */
  readonly roboflow?: (endpoint: string, payload: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Takes work that a sink does not wait for; it gives the sentence of a failure and never throws. */
  readonly background?: (work: Promise<string | undefined>) => void;
  /** When sinks that share a cooldown last fired, in milliseconds since 1970, by key. */
  readonly cooldowns?: Map<string, number>;
  /** A secret that the host keeps; absent when it has none of that name. */
  readonly secrets?: (name: string) => string | undefined;
  /** Whether a picture may leave. It does not when this rejects. Absent allows all. */
  readonly allowPicture?: (picture: OutgoingPicture) => Promise<boolean>;
  /** A step before this one wrote a picture as text or bytes: whatever it is made into, it counts as that picture. */
  readonly takesPictureText?: boolean;
  /** No sink does anything. */
  readonly sinksDisabled?: boolean;
}
