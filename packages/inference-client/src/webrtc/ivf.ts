// frames ↔ the simplest of video containers: a head, then length, number and bytes of each frame

const FILE_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 12;

/** `number` counts in units of the header's rate. */
export interface IvfFrame {
  readonly number: number;
  readonly bytes: Buffer;
}

export function ivfHeader(video: { fourcc: "VP80" | "MJPG"; width: number; height: number; fps: number }): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  header.write("DKIF", 0, "latin1");
  header.writeUInt16LE(FILE_HEADER_BYTES, 6);
  header.write(video.fourcc, 8, "latin1");
  header.writeUInt16LE(video.width, 12);
  header.writeUInt16LE(video.height, 14);
  header.writeUInt32LE(video.fps, 16);
  header.writeUInt32LE(1, 20);
  return header;
}

export function ivfFrameHeader(frame: { number: number; bytes: number }): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(frame.bytes, 0);
  header.writeUInt32LE(frame.number, 4);
  return header;
}

/** Takes the bytes of an IVF stream as they come; gives whole frames. Numbers are turned into counts at `fps`. */
export function createIvfReader(fps: number, onFrame: (frame: IvfFrame) => void): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  let perNumber: number | undefined;
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    if (perNumber === undefined) {
      if (held.length < FILE_HEADER_BYTES) return;
      perNumber = (held.readUInt32LE(20) / held.readUInt32LE(16)) * fps;
      held = held.subarray(FILE_HEADER_BYTES);
    }
    while (held.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + held.readUInt32LE(0);
      if (held.length < end) return;
      const number = Math.round(held.readUInt32LE(4) * perNumber);
      onFrame({ number, bytes: held.subarray(FRAME_HEADER_BYTES, end) });
      held = held.subarray(end);
    }
  };
}
