import { BlockList, isIP } from "node:net";

/** Of IPv4: this machine, local networks, and what is set aside for other uses. */
const NOT_PUBLIC = new BlockList();
const RANGES: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
for (const [network, bits] of RANGES) NOT_PUBLIC.addSubnet(network, bits, "ipv4");

/** Of IPv6 only what is given out to the public, less the ranges that wrap an IPv4 address. */
const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet("2000::", 3, "ipv6");
const WRAPPED_V6 = new BlockList();
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
] as const) {
  WRAPPED_V6.addSubnet(network, bits, "ipv6");
}

/** Whether an IP address belongs to the public internet. Text that is no address does not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, "ipv4");
    case 6:
      return PUBLIC_V6.check(address, "ipv6") && !WRAPPED_V6.check(address, "ipv6");
    default:
      return false;
  }
}
