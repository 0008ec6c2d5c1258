// metres in the world → pixels in the picture

/** Metres: x to the right, y away from the camera, z up. */
export type Vec3 = readonly [x: number, y: number, z: number];

/** Where a camera hangs and looks. Angles in radians. */
export interface CameraPose {
  readonly position: Vec3;
  /** Turned to the right. */
  readonly yaw: number;
  /** Tilted up; negative looks down. */
  readonly pitch: number;
  readonly roll: number;
  /** Focal length in pixels of a picture 960 wide. */
  readonly focal: number;
}

/** A point in the picture. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
  /** Pixels per metre at that depth; larger is nearer. */
  readonly scale: number;
}

export interface SceneView {
  readonly width: number;
  readonly height: number;
  project(world: Vec3): ScreenPoint;
}

/** Every picture shows the middle of the same 960 x 540 view, cut to its own shape. */
export function createView(pose: CameraPose, width: number, height: number): SceneView {
  const focal = pose.focal * Math.max(width / 960, height / 540);
  const [cosYaw, sinYaw] = [Math.cos(pose.yaw), Math.sin(pose.yaw)];
  const [cosPitch, sinPitch] = [Math.cos(pose.pitch), Math.sin(pose.pitch)];
  const [cosRoll, sinRoll] = [Math.cos(pose.roll), Math.sin(pose.roll)];
  return {
    width,
    height,
    project([worldX, worldY, worldZ]) {
      const x = worldX - pose.position[0];
      const y = worldY - pose.position[1];
      const z = worldZ - pose.position[2];
      const right = x * cosYaw - y * sinYaw;
      const ahead = x * sinYaw + y * cosYaw;
      const depth = ahead * cosPitch + z * sinPitch;
      const up = z * cosPitch - ahead * sinPitch;
      const scale = focal / Math.max(depth, 0.1);
      return {
        x: width / 2 + (right * cosRoll + up * sinRoll) * scale,
        y: height / 2 - (up * cosRoll - right * sinRoll) * scale,
        scale,
      };
    },
  };
}

const shades = new Map<string, string>();

/** A `#rrggbb` colour in more (above 1) or less (below 1) light. */
export function shade(color: string, light: number): string {
  const step = Math.round(light * 40);
  const key = `${color}${step}`;
  const known = shades.get(key);
  if (known !== undefined) return known;
  const value = Number.parseInt(color.slice(1), 16);
  const lit = (shift: number): number => {
    const channel = (value >> shift) & 255;
    return Math.round(step <= 40 ? (channel * step) / 40 : channel + (255 - channel) * Math.min(1, step / 40 - 1));
  };
  const shaded = `rgb(${lit(16)},${lit(8)},${lit(0)})`;
  shades.set(key, shaded);
  return shaded;
}
