/** Writes the protobuf wire format, field by field. */
export interface ProtobufWriter {
  int(field: number, value: number | bigint): void;
  float(field: number, value: number): void;
  text(field: number, value: string): void;
  bytes(field: number, value: Uint8Array): void;
  message(field: number, write: (inner: ProtobufWriter) => void): void;
}

const VARINT = 0;
const LENGTH = 2;
const FIXED32 = 5;

/** The bytes of one message. Large byte fields are copied only once, at the end. */
export function writeProtobuf(write: (writer: ProtobufWriter) => void): Uint8Array {
  return Buffer.concat(chunksOf(write));
}

function chunksOf(write: (writer: ProtobufWriter) => void): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const head = (field: number, type: number): void => {
    chunks.push(toVarint((field << 3) | type));
  };
  const sized = (field: number, parts: readonly Uint8Array[]): void => {
    head(field, LENGTH);
    chunks.push(toVarint(parts.reduce((sum, part) => sum + part.length, 0)), ...parts);
  };
  write({
    int(field, value) {
      head(field, VARINT);
      chunks.push(toVarint(value));
    },
    float(field, value) {
      head(field, FIXED32);
      chunks.push(new Uint8Array(Float32Array.of(value).buffer));
    },
    text: (field, value) => sized(field, [Buffer.from(value)]),
    bytes: (field, value) => sized(field, [value]),
    message: (field, inner) => sized(field, chunksOf(inner)),
  });
  return chunks;
}

/** Negative numbers take ten bytes, as protobuf has it for int64. */
function toVarint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
