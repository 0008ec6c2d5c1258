// pieces of a recording → one video, without decoding it
import { execFile } from "node:child_process";
import { childEnvironment } from "../../config/child-environment.ts";
import { sourceError } from "../../errors.ts";

export interface JoinPiecesOptions {
  /** Default: the system's. */
  readonly ffmpegPath?: string;
  readonly signal?: AbortSignal;
  /** A longer video is refused. Default 200 MB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 200_000_000;

/** An MP4 that plays while it is loaded. Throws `EngineError` kind `source`, or the reason of the signal. */
export function joinPieces(paths: readonly string[], options: JoinPiecesOptions = {}): Promise<Uint8Array> {
  const { ffmpegPath = "ffmpeg", signal, maxBytes = MAX_BYTES } = options;
  const lines = paths.map((path) => `file 'file:${path.replaceAll("'", "'\\''")}'\n`);
  const words = [
    ...["-hide_banner", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "pipe,file"],
    ...["-f", "concat", "-safe", "0", "-i", "pipe:0", "-map", "0:V:0", "-c", "copy"],
    ...["-f", "mp4", "-movflags", "frag_keyframe+empty_moov+default_base_moof", "pipe:1"],
  ];
  return new Promise((resolve, reject) => {
    const child = execFile(
      ffmpegPath,
      words,
      { encoding: "buffer", maxBuffer: maxBytes, env: childEnvironment(), ...(signal && { signal }) },
      (error, stdout) => {
        if (error === null) resolve(new Uint8Array(stdout));
        else if (signal?.aborted) reject(signal.reason);
        else reject(sourceError("not_readable", "The recording cannot be joined to one video.", error));
      },
    );
    // Without a reader it has ended, and says why when it is gone.
    child.stdin?.once("error", () => child.kill("SIGKILL")).end(`ffconcat version 1.0\n${lines.join("")}`);
  });
}
