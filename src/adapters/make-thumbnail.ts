import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js';
import { GifReader } from 'omggif';
import { PNG } from 'pngjs';

// Thumbnails as Mailpit makes them: JPEG of 180 x 120, a large picture cropped around its middle, a small one on white.
// A sender chooses the bytes of a picture, so its size is read before it is decoded.

const WIDTH = 180;
const HEIGHT = 120;
const QUALITY = 70;
/** The most pixels of a picture that is decoded, as in Mailpit. Four bytes each are 80 MB. */
const MOST_PIXELS = 20_000_000;

/** A decoded picture: four bytes for each pixel. */
interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Makes the thumbnail of a PNG, JPEG or GIF. Of anything else it is white. */
export function makeThumbnail(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const canvas = new Uint8Array(WIDTH * HEIGHT * 4).fill(0xff);
  try {
    const picture = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (picture !== null) draw(picture, canvas);
  } catch {
    // A picture that is broken is white, as one that is none.
  }
  return new Uint8Array(encodeJpeg({ width: WIDTH, height: HEIGHT, data: canvas }, QUALITY).data);
}

function decode(bytes: Buffer): Raster | null {
  if (bytes.subarray(0, 8).equals(PNG_START)) return decodePng(bytes);
  if (bytes.subarray(0, 3).equals(JPEG_START)) return decodeOriented(bytes);
  return /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) ? decodeGif(bytes) : null;
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

function isTooLarge(width: number, height: number): boolean {
  return width < 1 || height < 1 || width * height > MOST_PIXELS;
}

function decodePng(bytes: Buffer): Raster | null {
  if (bytes.length < 24 || isTooLarge(bytes.readUInt32BE(16), bytes.readUInt32BE(20))) return null;
  return PNG.sync.read(bytes);
}

function decodeGif(bytes: Buffer): Raster | null {
  const reader = new GifReader(bytes);
  const { width, height } = reader;
  const frame = reader.frameInfo(0);
  if (isTooLarge(width, height) || isTooLarge(frame.width, frame.height)) return null;
  const data = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { width, height, data };
}

function decodeOriented(bytes: Buffer): Raster {
  const bounds = { maxResolutionInMP: MOST_PIXELS / 1_000_000, maxMemoryUsageInMB: 320 };
  return oriented(decodeJpeg(bytes, { useTArray: true, ...bounds }), orientationOf(bytes));
}

const APP1 = 0xe1;
const START_OF_SCAN = 0xda;

/** Reads the orientation that a camera wrote into a JPEG (Exif 2.3, 4.6.4). 1 means that the picture is upright. */
function orientationOf(bytes: Buffer): number {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== START_OF_SCAN; ) {
    const size = bytes.readUInt16BE(at + 2);
    if (bytes[at + 1] === APP1 && bytes.toString('latin1', at + 4, at + 10) === 'Exif\0\0')
      return inTiff(bytes.subarray(at + 10, at + 2 + size));
    at += 2 + size;
  }
  return 1;
}

const ORIENTATION = 0x0112;

function inTiff(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const last = Math.min(start + 2 + 12 * short(start), tiff.length - 11);
  for (let at = start + 2; at < last; at += 12) if (short(at) === ORIENTATION) return short(at + 8);
  return 1;
}

/** Turns and mirrors a picture upright. */
function oriented(picture: Raster, orientation: number): Raster {
  if (orientation < 2 || orientation > 8) return picture;
  const { width: from, height: rows } = picture;
  const isTurned = orientation > 4;
  const [width, height] = isTurned ? [rows, from] : [from, rows];
  const source = new Uint32Array(picture.data.slice().buffer);
  const target = new Uint32Array(width * height);
  const flipsX = [2, 3, 7, 8].includes(orientation);
  const flipsY = [3, 4, 6, 7].includes(orientation);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [column, row] = isTurned ? [y, x] : [x, y];
      const sx = flipsX ? from - 1 - column : column;
      const sy = flipsY ? rows - 1 - row : row;
      target[y * width + x] = source[sy * from + sx] ?? 0;
    }
  }
  return { width, height, data: new Uint8Array(target.buffer) };
}

/** Draws a picture on the middle of the canvas: shrunk to fit if a side is short, else cropped to fill. */
function draw({ width, height, data }: Raster, canvas: Uint8Array): void {
  const isSmall = width < WIDTH || height < HEIGHT;
  const fit = Math.min(1, WIDTH / width, HEIGHT / height);
  const scale = isSmall ? fit : Math.max(WIDTH / width, HEIGHT / height);
  const shownWidth = isSmall ? Math.max(1, Math.round(width * scale)) : WIDTH;
  const shownHeight = isSmall ? Math.max(1, Math.round(height * scale)) : HEIGHT;
  const left = isSmall ? 0 : (width - WIDTH / scale) / 2;
  const top = isSmall ? 0 : (height - HEIGHT / scale) / 2;
  const stepX = isSmall ? width / shownWidth : 1 / scale;
  const stepY = isSmall ? height / shownHeight : 1 / scale;
  const [offsetX, offsetY] = [Math.floor((WIDTH - shownWidth) / 2), Math.floor((HEIGHT - shownHeight) / 2)];
  for (let y = 0; y < shownHeight; y++) {
    const rows = span(top + y * stepY, stepY, height);
    for (let x = 0; x < shownWidth; x++) {
      const columns = span(left + x * stepX, stepX, width);
      mean({ data, width, rows, columns }, canvas, ((y + offsetY) * WIDTH + x + offsetX) * 4);
    }
  }
}

type Span = readonly [from: number, to: number];

/** Returns the whole pixels of a stretch, at least one. */
function span(start: number, length: number, most: number): Span {
  const from = Math.min(Math.floor(start), most - 1);
  return [from, Math.max(from + 1, Math.min(Math.floor(start + length), most))];
}

interface Patch {
  readonly data: Uint8Array;
  readonly width: number;
  readonly rows: Span;
  readonly columns: Span;
}

/** Writes the mean of some pixels, over white where they are transparent. */
function mean({ data, width, rows, columns }: Patch, canvas: Uint8Array, to: number): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = rows[0]; y < rows[1]; y++) {
    for (let at = (y * width + columns[0]) * 4, end = (y * width + columns[1]) * 4; at < end; at += 4) {
      const opacity = data[at + 3] ?? 0;
      red += (data[at] ?? 0) * opacity;
      green += (data[at + 1] ?? 0) * opacity;
      blue += (data[at + 2] ?? 0) * opacity;
      alpha += opacity;
    }
  }
  const whole = (rows[1] - rows[0]) * (columns[1] - columns[0]) * 255;
  const white = (whole - alpha) * 255;
  canvas[to] = (red + white) / whole;
  canvas[to + 1] = (green + white) / whole;
  canvas[to + 2] = (blue + white) / whole;
}
