// camera on the page → its connection and painter → what is said beside the picture
import { type RefObject, useEffect, useRef, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { type ConnectionState, type KeptConnection, whileVisible } from "../api/keep-connected.ts";
import type { PictureState } from "./camera-state.ts";
import { describeBoxes, frameRate, type LineCount, lineCountOf } from "./frame-reading.ts";
import { openLiveConnection } from "./live-connection.ts";
import { LivePainter, type PaintedFrame } from "./live-painter.ts";
import type { DrawnShape } from "./overlay.ts";

export interface LiveCamera {
  readonly canvasRef: RefObject<HTMLCanvasElement | null>;
  readonly painterRef: RefObject<LivePainter | undefined>;
  readonly picture: PictureState;
  readonly size: { readonly width: number; readonly height: number };
  readonly count: LineCount | undefined;
  /** What was detected, in words. */
  readonly words: string;
  readonly retryNow: () => void;
}

interface Reading {
  readonly fps: number;
  readonly seen: boolean;
  readonly size: { readonly width: number; readonly height: number };
  readonly count: LineCount | undefined;
  readonly words: string;
}

const READ_EVERY_MS = 500;
const NOTHING_YET: Reading = {
  fps: 0,
  seen: false,
  size: { width: 1280, height: 720 },
  count: undefined,
  words: "",
};

export function useLiveCamera(camera: string, takeTurns: boolean, shapes: readonly DrawnShape[]): LiveCamera {
  const { api, time } = useApp();
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const painterRef = useRef<LivePainter>(undefined);
  const connectionRef = useRef<KeptConnection>(undefined);
  const [connection, setConnection] = useState<ConnectionState>({ kind: "connecting" });
  const [reading, setReading] = useState(NOTHING_YET);

  useEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null) return;
    setReading(NOTHING_YET);
    const arrivals: number[] = [];
    let painted: PaintedFrame | undefined;
    const painter = new LivePainter({
      canvas,
      onPainted: (frame) => {
        // The first picture is told at once, the rest at a pace people can read.
        const isFirst = painted === undefined;
        painted = frame;
        arrivals.push(time.now());
        if (arrivals.length > 200) arrivals.shift();
        markCanvas(canvas, frame);
        if (isFirst) read();
      },
      onBadPicture: (cause) => canvas.setAttribute("data-bad-picture", String(cause)),
    });
    painterRef.current = painter;
    const read = (): void => {
      if (painted !== undefined) setReading(toReading(painted, frameRate(arrivals, time.now())));
    };
    const timer = setInterval(read, READ_EVERY_MS);
    const resized = new ResizeObserver(() => painter.repaint());
    resized.observe(canvas);
    const leave = whileVisible(document, () => {
      const kept = openLiveConnection({
        api,
        camera,
        takeTurns,
        time,
        onFrame: (frame) => painter.take(frame),
        onState: setConnection,
      });
      connectionRef.current = kept;
      return () => kept.stop();
    });
    return () => {
      leave();
      clearInterval(timer);
      resized.disconnect();
      painter.stop();
    };
  }, [api, time, camera, takeTurns]);

  useEffect(() => painterRef.current?.showShapes(shapes), [shapes]);

  return {
    canvasRef,
    painterRef,
    picture: { connection, fps: reading.fps, seen: reading.seen },
    size: reading.size,
    count: reading.count,
    words: reading.words,
    retryNow: () => connectionRef.current?.retryNow(),
  };
}

function toReading({ result, boxes }: PaintedFrame, fps: number): Reading {
  const { width, height } = result.frame;
  return { fps, seen: true, size: { width, height }, count: lineCountOf(result), words: describeBoxes(boxes) };
}

/** What is on the canvas, for those who cannot read pixels. */
function markCanvas(canvas: HTMLCanvasElement, { result, boxes }: PaintedFrame): void {
  canvas.dataset.frameNumber = String(result.frame.frame_number);
  canvas.dataset.boxes = JSON.stringify(
    boxes.map(({ xyxy, class_name, tracker_id }) => ({ xyxy, class_name, tracker_id })),
  );
}
