/**
 * Gives memory back that a native library made for one array, such as the pixels of `getImageData`. Left to the garbage
 * collector, to which a picture is a small object, tens of them pile up in each thread before it looks.
 * The array is empty afterwards; the memory is free with the next turn of the event loop.
 */
export function giveBack({ buffer }: Uint8Array | Uint8ClampedArray): void {
  (buffer as ArrayBuffer).transfer(0);
}
