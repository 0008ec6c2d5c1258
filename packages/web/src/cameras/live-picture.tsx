import type { Camera } from "@vision-agent/protocol";
import { type PointerEvent, type ReactNode, useState } from "react";
import { TextButton } from "../look/buttons.tsx";
import { Loading, Problem } from "../look/view-states.tsx";
import { type DetectedBox, type LineCount, nameOf } from "./frame-reading.ts";
import type { DrawnShape } from "./overlay.ts";
import type { LiveCamera } from "./use-live-camera.ts";

export interface LivePictureProps {
  readonly camera: Camera;
  readonly live: LiveCamera;
  readonly shapes: readonly DrawnShape[];
  /** Called with the box a person clicked on. */
  readonly onPick?: ((box: DetectedBox) => void) | undefined;
}

/** The picture of one camera with everything drawn on it; in a column it takes the height that is left. */
export function LivePicture({ camera, live, shapes, onPick }: LivePictureProps): ReactNode {
  const [pointed, setPointed] = useState<string>();
  const { width, height } = live.size;
  const { connection, seen } = live.picture;
  const isLost = connection.kind === "lost";

  const point = (event: PointerEvent<HTMLCanvasElement>): void => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    live.painterRef.current?.pointAt({ x: event.clientX - left, y: event.clientY - top });
    const box = live.painterRef.current?.pointedBox();
    setPointed(box === undefined ? undefined : nameOf(box));
  };
  const leave = (): void => {
    live.painterRef.current?.pointAt(undefined);
    setPointed(undefined);
  };
  const pick = (): void => {
    const box = live.painterRef.current?.pointedBox();
    if (box !== undefined) onPick?.(box);
  };

  return (
    <div
      className="w-full [container-type:size] wide:min-h-0 wide:shrink"
      style={{ aspectRatio: `${width} / ${height}` }}
    >
      <div
        className="relative mx-auto overflow-hidden rounded-base bg-pressed"
        style={{ aspectRatio: `${width} / ${height}`, width: `min(100cqw, calc(100cqh * ${width / height}))` }}
      >
        <canvas
          ref={live.canvasRef}
          role="img"
          aria-label={`${camera.name}, live: ${live.words === "" ? "no picture yet" : live.words}`}
          data-testid="live-canvas"
          data-camera={camera.name}
          title={onPick === undefined || pointed === undefined ? undefined : `Ask about ${pointed}`}
          className={`block size-full ${isLost && seen ? "opacity-60" : ""} ${pointed !== undefined && onPick ? "cursor-pointer" : ""}`}
          onPointerMove={point}
          onPointerLeave={leave}
          onClick={pick}
        />
        <LineCountLabel shapes={shapes} size={live.size} count={live.count} />
        {!seen && (
          <div className="absolute inset-0 grid place-items-center bg-pressed p-4">
            {isLost ? (
              <Problem message={`No picture of ${camera.name}: ${connection.reason}`} onRetry={live.retryNow} />
            ) : (
              <Loading reason={`Waiting for the first picture of ${camera.name}.`} />
            )}
          </div>
        )}
        {seen && isLost && (
          <div
            role="status"
            className="absolute inset-x-0 top-0 flex items-center justify-between gap-3 bg-veil px-3 py-1 text-small text-veil-text"
          >
            <span>Connection lost. This is the last picture. Trying to reconnect…</span>
            <TextButton onClick={live.retryNow}>Try now</TextButton>
          </div>
        )}
      </div>
    </div>
  );
}

interface LineCountLabelProps {
  readonly shapes: readonly DrawnShape[];
  readonly size: { readonly width: number; readonly height: number };
  readonly count: LineCount | undefined;
}

/** "in 4 · out 2" at the middle of the line. */
function LineCountLabel({ shapes, size, count }: LineCountLabelProps): ReactNode {
  const [from, to] = shapes.find(({ kind }) => kind === "line")?.points ?? [];
  if (count === undefined || from === undefined || to === undefined) return null;
  const left = ((from[0] + to[0]) / 2 / size.width) * 100;
  const top = ((from[1] + to[1]) / 2 / size.height) * 100;
  return (
    <span
      data-testid="line-count"
      className="-translate-x-1/2 pointer-events-none absolute translate-y-1 whitespace-nowrap rounded-base bg-veil px-2 py-0.5 text-small text-veil-text"
      style={{ left: `${left}%`, top: `${top}%` }}
    >
      in {count.in} · out {count.out}
    </span>
  );
}
