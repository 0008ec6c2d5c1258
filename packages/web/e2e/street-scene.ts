// time → what stands on the street, and the frame result that says so
import type { FrameResult } from "@vision-agent/protocol";

export const WIDTH = 1280;
export const HEIGHT = 720;
export const LINE: [number, number][] = [
  [640, 300],
  [640, 700],
];

export interface Walker {
  readonly id: number;
  readonly className: string;
  readonly colour: string;
  readonly xyxy: readonly [number, number, number, number];
}

/** Two people and a car on their fixed ways; the same number is the same moment. */
export function walkersAt(frameNumber: number): readonly Walker[] {
  const across = (start: number, step: number, width: number): number => {
    const span = WIDTH + width;
    return ((((start + frameNumber * step) % span) + span) % span) - width;
  };
  const place = (x: number, y: number, width: number, height: number): Walker["xyxy"] => [
    Math.max(0, x),
    y,
    Math.min(WIDTH, x + width),
    y + height,
  ];
  return [
    { id: 3, className: "person", colour: "#7a1f1f", xyxy: place(across(420, 7, 70), 400, 70, 180) },
    { id: 5, className: "person", colour: "#1f3f7a", xyxy: place(across(900, -5, 64), 360, 64, 160) },
    { id: 8, className: "car", colour: "#2f5f35", xyxy: place(across(150, 11, 260), 540, 260, 120) },
  ];
}

export function resultAt(camera: string, frameNumber: number, timestamp: string): FrameResult {
  const walkers = walkersAt(frameNumber).filter(({ xyxy }) => xyxy[2] - xyxy[0] > 4);
  return {
    frame: { source_id: camera, frame_number: frameNumber, timestamp, width: WIDTH, height: HEIGHT, fps: 10 },
    outputs: {
      tracks: {
        kind: "detections",
        detections: {
          image: { width: WIDTH, height: HEIGHT },
          xyxy: walkers.flatMap(({ xyxy }) => [...xyxy]),
          confidence: walkers.map(() => 0.92),
          class_id: walkers.map(({ className }) => (className === "car" ? 2 : 0)),
          class_name: walkers.map(({ className }) => className),
          tracker_id: walkers.map(({ id }) => id),
        },
      },
      count_in: { kind: "value", value: 4 },
      count_out: { kind: "value", value: 2 },
    },
    latency_ms: 12,
  };
}
