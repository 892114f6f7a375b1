/** The pixels of a picture: red, green, blue and transparency of each, as a canvas has them. */
export interface PixelGrid {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export interface PixelDifference {
  /** The picture of the differences: red where the two differ, else pale. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  readonly differing: number;
  /** The first and the last row that differs; null if none does. */
  readonly rows: readonly [first: number, last: number] | null;
}

/** The largest difference of a colour's part that no eye sees. Edges of letters differ by so much. */
const UNSEEN = 8;
const RED = [220, 20, 40] as const;

/** Compares two pictures pixel by pixel. What one has beyond the other differs. */
export function pixelDifference(left: PixelGrid, right: PixelGrid): PixelDifference {
  const [width, height] = [Math.max(left.width, right.width), Math.max(left.height, right.height)];
  const data = new Uint8ClampedArray(4 * width * height);
  let differing = 0;
  let first = -1;
  let last = -1;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const [one, other] = [offsetOf(left, x, y), offsetOf(right, x, y)];
      const isSame =
        one !== null &&
        other !== null &&
        [0, 1, 2].every((part) => Math.abs((left.data[one + part] ?? 0) - (right.data[other + part] ?? 0)) <= UNSEEN);
      if (isSame) {
        // What is the same stays pale, so that the reader sees where the differences are.
        for (let part = 0; part < 3; part++) data[at + part] = 200 + Math.round((left.data[one + part] ?? 0) * 0.2);
      } else {
        differing++;
        if (first < 0) first = y;
        last = y;
        for (const [part, value] of RED.entries()) data[at + part] = value;
      }
      data[at + 3] = 255;
    }
  return { data, width, height, differing, rows: first < 0 ? null : [first, last] };
}

function offsetOf({ width, height }: PixelGrid, x: number, y: number): number | null {
  return x < width && y < height ? 4 * (y * width + x) : null;
}
