import { type ReactNode, useState } from "react";

export interface BoxedPictureProps {
  readonly src: string;
  readonly alt: string;
  /** A box in pixels of the picture. */
  readonly xyxy?: readonly [number, number, number, number] | undefined;
  readonly colour?: string;
}

/** A still picture at its largest, with the box of what it is about. */
export function BoxedPicture({ src, alt, xyxy, colour = "white" }: BoxedPictureProps): ReactNode {
  const [size, setSize] = useState<{ width: number; height: number }>();
  const [missing, setMissing] = useState(false);
  if (missing) return <p className="p-4 text-muted text-small">This picture is no longer available.</p>;
  return (
    <div className="relative min-h-0 bg-pressed">
      <img
        src={src}
        alt={alt}
        className="mx-auto max-h-[70dvh] max-w-full"
        onError={() => setMissing(true)}
        onLoad={({ currentTarget }) =>
          setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
        }
      />
      {size !== undefined && xyxy !== undefined && (
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${size.width} ${size.height}`}
          className="pointer-events-none absolute inset-0 size-full"
          fill="none"
        >
          {(["rgb(0 0 0 / 0.75)", colour] as const).map((stroke, layer) => (
            <rect
              key={stroke}
              x={xyxy[0]}
              y={xyxy[1]}
              width={xyxy[2] - xyxy[0]}
              height={xyxy[3] - xyxy[1]}
              stroke={stroke}
              strokeWidth={layer === 0 ? 4 : 2}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      )}
    </div>
  );
}
