import { describe, expect, it } from "vitest";
import { createStreamLog, type DecodedStamp } from "./ffmpeg-failure.ts";

const LOG = `Input #0, rtsp, from 'rtsp://cam':
  Duration: 00:00:01.20, start: 0.000000, bitrate: 675 kb/s
[Parsed_showinfo_1 @ 0x55] config in time_base: 1/90000, frame_rate: 30000/1001
[Parsed_showinfo_1 @ 0x55] config out time_base: 0/0, frame_rate: 0/0
[Parsed_showinfo_1 @ 0x55] n:   0 pts:   9000 pts_time:0.1     pos:       48 fmt:rgba sar:0/1 s:1280x720 i:P iskey:1 type:I \r
[Parsed_showinfo_1 @ 0x55] color_range:unknown color_space:unknown color_primaries:unknown color_trc:unknown
Error while decoding stream #0:0: Invalid data found when processing input
[Parsed_showinfo_1 @ 0x55] n:   1 pts: 3249009000 pts_time:36100.1 pos: 159421 fmt:rgba sar:0/1 s:640x360 i:P iskey:0 type:B 
`;

describe("createStreamLog", () => {
  it("reads rate, times and sizes however the text is cut", () => {
    const whole = read([LOG]);
    expect(whole.stamps).toEqual([
      { seconds: 0, width: 1280, height: 720 },
      { seconds: 36_100, width: 640, height: 360 },
    ]);
    expect(whole.log).toMatchObject({ fps: 30_000 / 1001, finite: true, damaged: 1 });
    expect(read([...LOG]).stamps).toEqual(whole.stamps);
  });

  it("keeps the last complaints only", () => {
    const { log } = read(Array.from({ length: 500 }, (_, line) => `complaint ${line}\n`));
    expect(log.complaints).toContain("complaint 499");
    expect(log.complaints.split("\n").length).toBeLessThan(50);
    expect(read(["  Duration: N/A, start: 0.1, bitrate: N/A\n"]).log.finite).toBe(false);
  });
});

function read(pieces: readonly string[]) {
  const stamps: DecodedStamp[] = [];
  const log = createStreamLog((stamp) => stamps.push(stamp));
  for (const piece of pieces) log.read(piece);
  return { log, stamps };
}
