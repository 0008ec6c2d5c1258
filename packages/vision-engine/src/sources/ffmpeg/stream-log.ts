// ffmpeg's log, line by line → what the stream is, and the time of each frame

/** What is known about one decoded frame before its pixels are read. */
export interface DecodedStamp {
  /** Seconds since the first frame. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

export interface StreamLog {
  /** Takes text as it comes, in pieces of any length. Calls `onStamp` for each frame. */
  read(text: string): void;
  /** Frames per second; 0 when unknown. */
  readonly fps: number;
  /** The source has an end. */
  readonly finite: boolean;
  /** Packets that could not be decoded. */
  readonly damaged: number;
  /** The last lines that speak of neither. They may hold credentials: for reading reasons, never for showing. */
  readonly complaints: string;
}

const CONFIG = /config in time_base: (\d+)\/(\d+), frame_rate: (\d+)\/(\d+)/;
const FRAME = /\bn:\s*\d+ pts:\s*(-?\d+|NOPTS)\s.*\ss:(\d+)x(\d+)\s/;
const DAMAGED = /^(?:\[[^\]]*\] )?Error (?:while decoding stream|submitting packet to decoder)/;
const MOST_COMPLAINTS = 40;

/** Reads what the filter `showinfo` and ffmpeg itself write at log level `info`. */
export function createStreamLog(onStamp: (stamp: DecodedStamp) => void): StreamLog {
  const complaints: string[] = [];
  let rest = "";
  let [fps, tick, damaged] = [0, 0, 0];
  let [finite, hasRate] = [false, true];
  let firstPts: number | undefined;

  function readShowInfo(line: string): void {
    const config = CONFIG.exec(line);
    if (config !== null) {
      const [tickOver, tickUnder, rateOver, rateUnder] = config.slice(1).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      tick = tickOver / tickUnder;
      fps = rateUnder === 0 || !hasRate ? 0 : rateOver / rateUnder;
    }
    const [, pts, width, height] = FRAME.exec(line) ?? [];
    if (pts === undefined) return;
    const ticks = pts === "NOPTS" ? (firstPts ?? 0) : Number(pts);
    firstPts ??= ticks;
    onStamp({ seconds: (ticks - firstPts) * tick, width: Number(width), height: Number(height) });
  }

  function readLine(line: string): void {
    if (line.includes("[Parsed_showinfo_")) {
      readShowInfo(line);
      return;
    }
    // MJPEG declares no rate; ffmpeg makes one up.
    if (line.startsWith("Input #0, mpjpeg,")) hasRate = false;
    const duration = /^\s*Duration: (\S+),/.exec(line)?.[1];
    if (duration !== undefined) finite = duration !== "N/A";
    if (DAMAGED.test(line)) damaged += 1;
    complaints.push(line.slice(0, 500));
    if (complaints.length > MOST_COMPLAINTS) complaints.shift();
  }

  return {
    read(text) {
      const lines = (rest + text).split(/\r?\n|\r/);
      rest = lines.pop()!.slice(-4000);
      for (const line of lines) readLine(line);
    },
    get fps() {
      return fps;
    },
    get finite() {
      return finite;
    },
    get damaged() {
      return damaged;
    },
    get complaints() {
      return [...complaints, rest].join("\n");
    },
  };
}
