import { describe, expect, it } from "vitest";
import { ffmpegArguments, inputArguments } from "./ffmpeg-arguments.ts";

describe("inputArguments", () => {
  it.each([
    [{ kind: "video", path: "/a/-b:c.mp4" }, "-i file:/a/-b:c.mp4"],
    [{ kind: "rtsp", url: "rtsp://c/x", transport: "udp" }, "-rtsp_transport udp -timeout 2500000 -i rtsp://c/x"],
    [{ kind: "http", url: "http://c/x" }, "-rw_timeout 2500000 -i http://c/x"],
    [{ kind: "webcam", webcam: { device: "/dev/video1" }, platform: "linux" }, "-f v4l2 -i /dev/video1"],
    [
      {
        kind: "webcam",
        webcam: { device: "/dev/video0", width: 1280, height: 720, fps: 30, format: "mjpeg" },
        platform: "linux",
      },
      "-f v4l2 -input_format mjpeg -video_size 1280x720 -framerate 30 -i /dev/video0",
    ],
    [
      { kind: "webcam", webcam: { device: "/dev/video0", fps: 30 }, platform: "darwin" },
      "-f avfoundation -framerate 30 -i 0:none",
    ],
  ] as const)("reads %j", (input, words) => {
    expect(inputArguments(input, 2500).join(" ")).toBe(words);
  });
});

describe("ffmpegArguments", () => {
  it("limits rate and size before pixels are converted", () => {
    const words = ffmpegArguments(
      { kind: "video", path: "/a.mp4" },
      { realTime: false, timeoutMs: 1000, maxFps: 5, maxEdge: 640 },
    );
    expect(words[words.indexOf("-vf") + 1]).toMatch(/^select='.*',scale=.*640.*,format=rgba,showinfo=checksum=0$/);
    expect(words).not.toContain("-re");
    expect(ffmpegArguments({ kind: "video", path: "/a.mp4" }, { realTime: true, timeoutMs: 1000 })).toContain("-re");
  });
});
