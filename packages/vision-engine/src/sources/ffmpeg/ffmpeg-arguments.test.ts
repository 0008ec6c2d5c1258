import { describe, expect, it } from "vitest";
import { ffmpegCall, inputCall } from "./ffmpeg-arguments.ts";

describe("inputCall", () => {
  it("reads a file as a file alone", () => {
    const { words, stdin } = inputCall({ kind: "video", path: "/a/-b:c.mp4" }, 2500);
    expect(words.join(" ")).toMatch(/-protocol_whitelist file .*-i file:\/a\/-b:c\.mp4$/);
    expect(words).toContain("-max_pixels");
    expect(stdin).toBeUndefined();
  });

  it.each([
    [
      { kind: "rtsp", url: "rtsp://u:pw@c/x", transport: "udp" },
      "file 'rtsp://u:pw@c/x'\noption rtsp_transport udp\noption timeout 2500000\n",
    ],
    [
      { kind: "http", url: "http://c/x?pwd=pw&a='b'\nfile '/etc/passwd" },
      "file 'http://c/x?pwd=pw&a=%27b%27%0afile%20%27/etc/passwd'\noption rw_timeout 2500000\n",
    ],
    [{ kind: "http", url: "http://c/u/pw/x.jpg" }, "file 'http://c/u/pw/x.jpg'\noption rw_timeout 2500000\n"],
  ] as const)("hands over %j on standard input", (input, list) => {
    const { words, stdin } = inputCall(input, 2500);
    expect(stdin).toBe(`ffconcat version 1.0\n${list}`);
    expect(words.join(" ")).toMatch(/-f concat -safe 0 -i pipe:0$/);
    expect(words.join(" ")).not.toMatch(/pw|:\/\/|file/);
  });

  it.each([
    [{ device: "/dev/video1" }, "linux", "-f v4l2 -i /dev/video1"],
    [
      { device: "/dev/video0", width: 1280, height: 720, fps: 30, format: "mjpeg" },
      "linux",
      "-f v4l2 -input_format mjpeg -video_size 1280x720 -framerate 30 -i /dev/video0",
    ],
    [{ device: "/dev/video0", fps: 30 }, "darwin", "-f avfoundation -framerate 30 -i 0:none"],
  ] as const)("reads the webcam %j on %s", (webcam, platform, words) => {
    expect(inputCall({ kind: "webcam", webcam, platform }, 2500).words.join(" ")).toBe(`-max_pixels 36000000 ${words}`);
  });
});

describe("ffmpegCall", () => {
  it("limits rate and size before pixels are converted", () => {
    const { words } = ffmpegCall(
      { kind: "video", path: "/a.mp4" },
      { realTime: false, timeoutMs: 1000, maxFps: 5, maxEdge: 640 },
    );
    expect(words[words.indexOf("-vf") + 1]).toMatch(/^select='.*',scale=.*640.*,format=rgba,showinfo=checksum=0$/);
    expect(words).not.toContain("-re");
    expect(ffmpegCall({ kind: "video", path: "/a.mp4" }, { realTime: true, timeoutMs: 1000 }).words).toContain("-re");
  });
});
