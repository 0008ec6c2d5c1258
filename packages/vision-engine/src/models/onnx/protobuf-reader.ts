/** One field of a message: a whole number for varints, bytes for everything else. */
export type ProtobufField =
  | { readonly field: number; readonly kind: "int"; readonly value: bigint }
  | { readonly field: number; readonly kind: "bytes"; readonly value: Uint8Array };

const WIRE_TYPES = { 0: "varint", 1: 8, 2: "length", 5: 4 } as const;

/** Walks the fields of one message. Throws `RangeError` where the bytes are not protobuf. */
export function* readProtobuf(bytes: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new RangeError(`broken number at byte ${at}`);
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new RangeError(`field runs past the end at byte ${at}`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const head = Number(varint());
    const field = head >>> 3;
    const type = WIRE_TYPES[(head & 7) as keyof typeof WIRE_TYPES];
    if (type === undefined || field === 0) throw new RangeError(`unknown field at byte ${at}`);
    if (type === "varint") yield { field, kind: "int", value: varint() };
    else yield { field, kind: "bytes", value: take(type === "length" ? Number(varint()) : type) };
  }
}
