// actors → pixels and truth

import { setImmediate as nextTurn } from "node:timers/promises";
import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { DetectionTable } from "../../frames/detections.ts";
import { registerFont } from "../../frames/font.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { giveBack } from "../../frames/jpeg.ts";
import { CoverMask } from "./drawing/cover-mask.ts";
import { drawForklift } from "./drawing/forklift-figure.ts";
import { Pen } from "./drawing/pen.ts";
import { drawPerson } from "./drawing/person-figure.ts";
import { drawBicycle, drawDog, drawPackage } from "./drawing/small-figures.ts";
import { drawVehicle } from "./drawing/vehicle-figure.ts";
import { type CameraPose, createView, type SceneView } from "./drawing/view.ts";
import { type Actor, classOf, SCENE_CLASS_IDS, type Scene, type SceneProp } from "./scene.ts";

/** Actors of which less than this share is visible are not in the truth. */
const LEAST_VISIBLE = 0.3;

export interface RendererOptions extends PixelSize {
  readonly scene: Scene;
  readonly seed: number;
  /** Instead of the scene's own, for a camera that was pushed. */
  readonly camera?: CameraPose;
}

interface RenderRequest {
  readonly actors: readonly Actor[];
  /** Written in the corner, e.g. `14:02:31`. */
  readonly time: string;
  /** Nearly black, as at night or with a covered lens; then nothing can be seen. */
  readonly dark?: boolean;
  /** Something lies over the lens. Default false. */
  readonly covered?: boolean;
}

export interface Rendering {
  /** RGBA, opaque. Empty once the next is rendered. */
  readonly rgba: Uint8ClampedArray;
  readonly truth: DetectionTable;
}

/** What stands still is drawn here, once, piece by piece so that whoever shares the thread gets its turn. */
export async function createSceneRenderer(options: RendererOptions): Promise<SceneRenderer> {
  const { scene, width, height, seed, camera = scene.camera } = options;
  const view = createView(camera, width, height);
  const canvas = createCanvas(width, height);
  scene.drawBackdrop(new Pen({ view, ctx: canvas.getContext("2d", { alpha: false }) }), seed);
  const backdrop = flatten(canvas);
  await nextTurn();
  const sprites = scene.props.map((prop) => createPropSprite(prop, view)).filter((sprite) => sprite !== undefined);
  await nextTurn();
  return new SceneRenderer({ name: scene.name, view, backdrop, sprites });
}

interface SceneRendererParts {
  readonly name: string;
  readonly view: SceneView;
  readonly backdrop: Canvas;
  readonly sprites: readonly PropSprite[];
}

/** Draws one scene in one size again and again. */
export class SceneRenderer {
  readonly #options: SceneRendererParts;
  readonly #ctx: SKRSContext2D;
  readonly #mask: CoverMask;
  readonly #pen: Pen;
  /** Enters shapes in the mask that are blitted instead of drawn. */
  readonly #maskPen: Pen;
  #lent: Uint8ClampedArray | undefined;

  constructor(options: SceneRendererParts) {
    const { view } = options;
    this.#options = options;
    this.#ctx = createCanvas(view.width, view.height).getContext("2d", { alpha: false });
    this.#mask = new CoverMask(view.width, view.height);
    this.#pen = new Pen({ view, ctx: this.#ctx, mask: this.#mask });
    this.#maskPen = new Pen({ view, mask: this.#mask });
  }

  render({ actors, time, dark = false, covered = false }: RenderRequest): Rendering {
    const { name, view, backdrop } = this.#options;
    this.#ctx.drawImage(backdrop, 0, 0);
    const drawn = this.#drawActors(actors);
    if (dark || covered) {
      this.#ctx.fillStyle = covered ? "rgb(26,22,20)" : "rgba(2,3,8,0.96)";
      this.#ctx.fillRect(0, 0, view.width, view.height);
    }
    drawCaption(this.#ctx, `${name.toUpperCase()} ${time}`);
    if (this.#lent !== undefined) giveBack(this.#lent);
    const rgba = this.#ctx.getImageData(0, 0, view.width, view.height).data;
    this.#lent = rgba;
    return { rgba, truth: this.#toDetections(dark || covered ? [] : drawn) };
  }

  /** Draws from far to near and returns who was drawn, in that order. */
  #drawActors(actors: readonly Actor[]): readonly Actor[] {
    const things = [
      ...actors.filter((actor) => isInView(this.#pen, actor)).map((actor) => ({ y: actor.pose.y, actor })),
      ...this.#options.sprites.map((sprite) => ({ y: sprite.prop.y, sprite })),
    ].sort((a, b) => b.y - a.y);
    this.#mask.clear();
    this.#pen.forgetStyle();
    const drawn: Actor[] = [];
    for (const thing of things) {
      if ("sprite" in thing) {
        this.#drawSprite(thing.sprite);
        continue;
      }
      this.#mask.beginActor();
      drawActor(this.#pen, thing.actor);
      drawn.push(thing.actor);
    }
    return drawn;
  }

  #drawSprite({ prop, picture, left, top }: PropSprite): void {
    this.#ctx.drawImage(picture, left, top);
    this.#mask.beginProp();
    prop.draw(this.#maskPen);
  }

  #toDetections(drawn: readonly Actor[]): DetectionTable {
    const parts = this.#mask.visibleParts();
    const rows = drawn.flatMap((actor, index) => {
      const part = parts[index];
      return part !== undefined && part.share >= LEAST_VISIBLE
        ? [{ id: actor.id, name: classOf(actor), xyxy: part.xyxy }]
        : [];
    });
    return new DetectionTable({
      xyxy: Float64Array.from(rows.flatMap((row) => row.xyxy)),
      confidence: new Float64Array(rows.length).fill(1),
      classId: Int32Array.from(rows, (row) => SCENE_CLASS_IDS[row.name]),
      // Who it is, for whoever compares; models see only where it is.
      data: { class_name: rows.map((row) => row.name), actor_id: rows.map((row) => row.id) },
      metadata: { image_dimensions: [this.#options.view.height, this.#options.view.width] },
    });
  }
}

/** A prop drawn once, since it never changes. */
interface PropSprite {
  readonly prop: SceneProp;
  readonly picture: Canvas;
  readonly left: number;
  readonly top: number;
}

/** `undefined` when the prop is outside the picture. */
function createPropSprite(prop: SceneProp, view: SceneView): PropSprite | undefined {
  const mask = new CoverMask(view.width, view.height);
  mask.beginActor();
  prop.draw(new Pen({ view, mask }));
  const extent = mask.extentOf(0);
  // Shadows reach a little beyond the shape.
  const margin = Math.ceil(view.width / 40);
  const left = Math.max(0, Math.floor(extent.left) - margin);
  const top = Math.max(0, Math.floor(extent.top) - margin);
  const width = Math.min(view.width, Math.ceil(extent.right) + margin) - left;
  const height = Math.min(view.height, Math.ceil(extent.bottom) + margin) - top;
  if (width <= 0 || height <= 0) return undefined;
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  ctx.translate(-left, -top);
  prop.draw(new Pen({ view, ctx }));
  return { prop, picture: flatten(canvas), left, top };
}

/** The pixels alone: blitting the canvas itself would replay all that was drawn on it, each time. */
function flatten(canvas: Canvas): Canvas {
  const { width, height } = canvas;
  const flat = createCanvas(width, height);
  flat.getContext("2d").putImageData(canvas.getContext("2d").getImageData(0, 0, width, height), 0, 0);
  return flat;
}

/** Metres around its place that an actor and its shadow may take. */
const REACH: Readonly<Record<Actor["kind"], number>> = {
  person: 2.2,
  vehicle: 4.6,
  bicycle: 1.6,
  dog: 1.2,
  forklift: 3.6,
  package: 1.2,
};

/** Whether any of it may be in the picture. */
function isInView(pen: Pen, { kind, pose }: Actor): boolean {
  return pen.sees([pose.x, pose.y, pose.z ?? 0], REACH[kind]);
}

/** Draws one actor with its shadow. */
function drawActor(pen: Pen, actor: Actor): void {
  const { pose } = actor;
  if (actor.kind === "person") drawPerson(pen, pose, actor.looks, actor.gait);
  else if (actor.kind === "vehicle") drawVehicle(pen, pose, actor);
  else if (actor.kind === "bicycle") drawBicycle(pen, pose, actor.paint);
  else if (actor.kind === "dog") drawDog(pen, pose, actor);
  else if (actor.kind === "forklift") drawForklift(pen, pose, actor.state);
  else drawPackage(pen, pose, actor);
}

/** Name and time in the upper left corner as surveillance cameras write them, and that this is a simulation. */
function drawCaption(ctx: SKRSContext2D, title: string): void {
  const size = Math.max(7, Math.round(ctx.canvas.height / 36));
  const margin = Math.round(size * 0.9);
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.font = `${size}px "${registerFont("Vision Mono Bold")}"`;
  // The font's letters are all 0.602 em wide.
  const width = title.length * size * 0.602;
  ctx.fillStyle = "rgba(16,20,28,0.45)";
  ctx.beginPath();
  ctx.roundRect(margin * 0.6, margin * 0.6, width + margin * 0.8, size * 2.7, size * 0.3);
  ctx.fill();
  ctx.fillStyle = "rgba(255,255,255,0.94)";
  ctx.fillText(title, margin, margin);
  ctx.font = `${Math.round(size * 0.75)}px "${registerFont("Vision Sans")}"`;
  ctx.fillStyle = "rgba(255,255,255,0.72)";
  ctx.fillText("simulation", margin, margin + size * 1.25);
}
