// an address → the name of who would receive pictures, and whether that is on this machine

/** Who receives pictures. */
export interface Destination {
  /** `model` a provider of language models · `server` an Inference server · `sink` what a workflow sends to · `channel` how people are told. */
  readonly kind: "model" | "server" | "sink" | "channel";
  /** Host name, with the port where it is not the usual one; lower case. */
  readonly host: string;
}

/** An address that cannot be read is a destination of its own, and none on this machine. */
export function toDestination(kind: Destination["kind"], address: string): Destination {
  return { kind, host: (URL.parse(address)?.host || address).toLowerCase() };
}

/** `remoteHosts` are programs on this machine that pass on what they receive. */
export function leavesMachine({ host }: Pick<Destination, "host">, remoteHosts: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, "");
  if (remoteHosts.some((one) => [host, name].includes(one.toLowerCase()))) return true;
  return !(name === "localhost" || name === "[::1]" || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name));
}
