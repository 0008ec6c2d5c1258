// addresses as people write them → the same as they may be shown, and the passwords in them. Every pattern here takes
// time that grows with the text and not faster: whoever sends a text chooses how hard it is.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { domainToASCII, fileURLToPath } from "node:url";

/** Longer ones belong to no camera. */
export const LONGEST_ADDRESS = 2000;

/** Names of parameters that hold a secret, alone or after another word: `access_token`, `x-amz-signature`. */
const SECRET_NAME =
  "(?:[\\w.-]{0,24}[_.-])?(?:pass|passw|passwd|password|passphrase|pwd|pw|psw|secret|token|accesstoken|authtoken|apikey|accesskey|authkey|signature|credentials?|loginpas|loginpass|loginpwd|userpwd|authbasic|jwt)";
/** These are ordinary words where they do not stand in an address. */
const ADDRESS_NAME = "(?:[\\w.-]{0,24}[_.-])?(?:key|auth|authorization|session|sessionid|sid|sig)";
const USER_NAME = "(?:user|username|usr|login|loginuse|loginname|account)";

const IN_QUERY = new RegExp(`([?&;#](?:(${SECRET_NAME}|${ADDRESS_NAME})|${USER_NAME})=)([^&;#]+)`, "gi");
/** `?u=admin&p=password`: alone a `p` is a page or a profile. */
const HAS_USER = new RegExp(`[?&;#](?:u|${USER_NAME})=`, "i");
const SHORT_SECRET = /([?&;#](?:p|k|code)=)([^&;#]+)/gi;
/** `/user=admin_password=x_channel=1` and `/user=admin&password=x`, as many recorders have it. */
const IN_PATH = new RegExp(
  `((?:^|[/_&;,({[])(${SECRET_NAME})=|[/_&;](?:(${ADDRESS_NAME})|${USER_NAME})=)((?:(?!_[a-z]{1,20}=)[^&;,/)}\\]])+)`,
  "gi",
);

/**
 * User and password as people paste them, in the order of trust: an `@` before the first slash, a password with a
 * slash, a password with `?` or `#`. Each goes up to its last `@`, so that no part of a password is left behind;
 * `host:80/…` and `host/@name` are none.
 */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^?#/]*@(?:[^?#]*@)?|[^?#/:@[]*:[^?#]*@|[^?#/:@[]*:(?!\d*[/?#]).*@)/is;
/** `admin:password@host`, after a name and `=` or a bracket, too; not `mailto:ann@example.com`. */
const BARE_CREDENTIALS =
  /^([({[,;]*(?:[\w-]{1,30}=)?)(?!(?:mailto|e-?mail|sips?|xmpp|acct|contact|from|to|cc):)[\w.+%-]{1,64}:(?!\/\/).+@(?=localhost\b|\[[\da-f:]|[a-z\d-]{1,63}(?:\.[a-z\d]|[:/]))/is;

/** Addresses of cameras, whose paths may hold a user and a password. */
const CAMERA_PATH =
  /^((?:rtsps?|rtmps?):\/\/[^/?#]*|https?:\/\/[^/?#]*(?=[^?#]*\.(?:cgi|mjpe?g|jpe?g|sdp|m3u8|asf|flv)$))(\/.*)$/is;
/** `/admin:password/` */
const PAIR_IN_PATH = /(\/[a-z][\w.-]{0,63}:)([^/]+)(?=\/|$)/gi;
/** `/admin/password/`, unless it is the name of a stream. */
const USER_IN_PATH =
  /(\/(?:admin|administrator|root|user|guest|viewer|operator)\/)(?!(?:live|streams?|video|media|h26[45]|mpeg4|main|sub|ch|channels?|cam|camera|profile|onvif|cgi-bin|images?|snapshot)[-_]?\d*\/)([^/]+)(?=\/)/gi;

/** Where an address begins. The limit keeps long runs of letters from being looked through again and again. */
const BEGINNING = /(?<![a-z])(?=[a-z][a-z0-9+.-]{0,40}:\/\/)/i;
/** Up to what ends an address in a sentence, a table or JSON; a password may hold that, too. */
const WRITTEN =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s"'`<>|]*@|[^\s/?#:@[]+:(?!\d*(?:[\s/?#"']|$))(?:\S*|[^\n]{0,60}?)@)?[^\s"'`<>|]+/i;
const WORD = /[^\s"'`<>|]+/g;
/** Marks of the sentence around an address. A password ends in `!` more often than a sentence after it. */
const SENTENCE_END = ".,;:!?)]}";
const END_AFTER_SECRET = ".,;:)]}";
const BEGINS_WITH_SECRET = new RegExp(`^(?:${SECRET_NAME}|${ADDRESS_NAME})=`, "i");

interface Shown {
  /** Without user, password and keys. */
  readonly address: string;
  /** As they are typed. */
  readonly secrets: readonly string[];
}

function show(address: string): Shown {
  const secrets: string[] = [];
  const hide = (before: string, secret: string): string => {
    if (secret !== "" && secret !== "***") secrets.push(secret);
    return `${before}***`;
  };
  const password = passwordOf(address);
  if (password !== undefined) secrets.push(password);
  const bare = address.replace(CREDENTIALS, "$1").replace(BARE_CREDENTIALS, "$1***@");
  const queryAt = bare.search(/[?#]/);
  const [path, query] = queryAt < 0 ? [bare, ""] : [bare.slice(0, queryAt), bare.slice(queryAt)];
  const shownPath = path
    .replace(CAMERA_PATH, (_, host: string, rest: string) => {
      const pair = rest.replace(PAIR_IN_PATH, (_pair, before: string, secret: string) => hide(before, secret));
      return host + pair.replace(USER_IN_PATH, (_user, before: string, secret: string) => hide(before, secret));
    })
    .replace(IN_PATH, (_, before: string, strong?: string, soft?: string, value = "") =>
      strong === undefined && soft === undefined ? `${before}***` : hide(before, value),
    );
  const hideShort = (_: string, before: string, value: string): string => hide(before, value);
  const bareQuery = HAS_USER.test(query) ? query.replace(SHORT_SECRET, hideShort) : query;
  const shownQuery = bareQuery.replace(IN_QUERY, (_, before: string, name?: string, value = "") =>
    name === undefined ? `${before}***` : hide(before, value),
  );
  return { address: shownPath + shownQuery, secrets };
}

/** An address as it may be shown: without user, password and keys. */
export function withoutCredentials(address: string): string {
  return show(address).address;
}

/** The same for a person who is asked about it: letters that look like others are written as `xn--…`, escapes as what they mean. */
export function shownAddress(address: string): string {
  return withoutCredentials(address).replace(
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#:[\]]*[^\w./?#:[\]-][^/?#:[\]]*)/i,
    (written, scheme: string, host: string) => {
      const ascii = domainToASCII(unescaped(host));
      return ascii === "" ? written : scheme + ascii;
    },
  );
}

/** Hosts without a scheme, and those after an `@`, with letters that look like others written as `xn--…`. */
export function withAsciiHosts(text: string): string {
  return text.replace(/[^\s,;'"@:/[\]]*[^\0-\x7f][^\s,;'"@:/[\]]*/g, (host) => domainToASCII(host) || host);
}

/** What two spellings of the same source have in common. Too much in common hides more, never less. */
export function sourceKey(address: string): string {
  const text = address.trim();
  const [, number, device] = /^(?:webcam:(?:\/\/)?0*(\d+)|(?:webcam:)?\/dev\/video0*(\d+))(?:\?|$)/i.exec(text) ?? [];
  if (number !== undefined || device !== undefined) return `webcam:${number ?? device}`;
  const file = pathOf(text);
  if (file !== undefined) return /^\/dev\/video\d+$/.test(file) ? sourceKey(`webcam:${file.slice(10)}`) : file;
  return (
    plainUrl(withoutCredentials(text))
      .toLowerCase()
      .replace(/#.*$/, "")
      // Options of ours; a scene has no others.
      .replace(/^(sim:\/\/[^?]*).*$/, "$1")
      .replace(/([?&])transport=[^&]*&?/, "$1")
      .replace(/^rtsps:/, "rtsp:")
      .replace(/^([a-z]+:\/\/)localhost(?=[:/?]|$)/, "$1127.0.0.1")
      .replace(
        /^(rtsp:\/\/[^/?]*):(?:554|322)(?=[/?]|$)|^(http:\/\/[^/?]*):80(?=[/?]|$)|^(https:\/\/[^/?]*):443(?=[/?]|$)/,
        "$1$2$3",
      )
      .replace(/([^:])\/{2,}/g, "$1/")
      .replace(/[/?&]+$/, "")
  );
}

/** One way to write numbers as hosts, dots in paths and escapes. */
function plainUrl(address: string): string {
  const [, scheme = "", rest = ""] = /^(rtsps?|https?):\/\/(.*)$/is.exec(address) ?? [];
  const url = scheme === "" ? null : URL.parse(`http://${rest}`);
  if (url === null) return address;
  const host = url.host.replace(/\.(?=:|$)/, "").replace(/^\[::ffff:([\da-f]+):([\da-f]+)\]/, (_, high, low) => {
    const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
  });
  return `${scheme}://${host}${unescaped(url.pathname)}${url.search}`;
}

/** The file that an address names, links followed; undefined for what is on a network. */
function pathOf(text: string): string | undefined {
  if (/^(?!file:)[a-z][a-z0-9+.-]*:/i.test(text)) return undefined;
  const path = resolve(/^file:/i.test(text) && URL.canParse(text) ? fileURLToPath(text) : text);
  try {
    return realpathSync(path);
  } catch {
    // It is not there now, and may be later.
    return path;
  }
}

/** A text with each address in it changed, and with each word that has a password by its form. */
export function replaceAddresses(text: string, change: (address: string) => string): string {
  if (!/[@=]|:\/\//.test(text)) return text;
  const replace = (written: string): string => {
    if (written === text) return change(text);
    const address = withoutSentenceEnd(written);
    return change(address) + written.slice(address.length);
  };
  const replaceWord = (word: string): string =>
    /[@=]/.test(word) && withoutCredentials(word) !== word ? replace(word) : word;
  return text
    .split(BEGINNING)
    .map((piece) => {
      const [written = ""] = WRITTEN.exec(piece) ?? [];
      return (written && replace(written)) + piece.slice(written.length).replace(WORD, replaceWord);
    })
    .join("");
}

/** A text as it may be shown: no address in it has a user, a password or a key. */
export function withoutAddressSecrets(text: string): string {
  return replaceAddresses(text, withoutCredentials);
}

function withoutSentenceEnd(written: string): string {
  const last = Math.max(...["&", ";", "#"].map((mark) => written.lastIndexOf(mark)), written.indexOf("?"));
  const marks = BEGINS_WITH_SECRET.test(written.slice(last + 1)) ? END_AFTER_SECRET : SENTENCE_END;
  let end = written.length;
  while (end > 0 && marks.includes(written.charAt(end - 1))) end -= 1;
  return written.slice(0, end);
}

/** Whether a text is a source of its own rather than the name of a camera. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[/\\]/.test(text) || /\.[a-z0-9]{2,4}$/i.test(text);
}

/** The password inside an address, as it is typed; absent when there is none. */
export function passwordOf(address: string): string | undefined {
  const [whole = "", before = ""] = CREDENTIALS.exec(address) ?? BARE_CREDENTIALS.exec(address) ?? [];
  const credentials = whole.slice(before.length, -1);
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return credentials.includes(":") && password !== "" ? password : undefined;
}

/** Passwords and keys inside an address, as they are typed and as they are meant. */
export function secretsIn(address: string): readonly string[] {
  const { secrets } = show(address);
  return [...new Set([...secrets, ...secrets.map(unescaped)])];
}

/** A `%` that begins no escape was meant as it stands. */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString());
}
