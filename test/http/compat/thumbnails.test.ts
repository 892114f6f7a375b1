import { deflateSync } from 'node:zlib';
import { decode, encode } from 'jpeg-js';
import { PNG } from 'pngjs';
import { expect, test as plain } from 'vitest';
import { startServer, type TestServer } from '../../support/mailcap.ts';
import { rows } from './ask.ts';
import { sendAll } from './mails.ts';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];
const RED: Colour = [255, 0, 0, 255];
const BLUE: Colour = [0, 0, 255, 255];
const CLEAR: Colour = [0, 255, 0, 0];

/** Makes the pixels of a picture whose colour depends on the place. */
function pixels(width: number, height: number, colourAt: (x: number, y: number) => Colour): Buffer {
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(colourAt(x, y), (y * width + x) * 4);
  return data;
}

function png(width: number, height: number, colourAt: (x: number, y: number) => Colour): Buffer {
  const picture = new PNG({ width, height });
  picture.data = pixels(width, height, colourAt);
  return PNG.sync.write(picture);
}

const jpeg = (width: number, height: number, colourAt: (x: number, y: number) => Colour) =>
  Buffer.from(encode({ width, height, data: pixels(width, height, colourAt) }, 95).data);

/** Puts the orientation of a camera into a JPEG. */
function turned(picture: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(body.length + 2);
  return Buffer.concat([picture.subarray(0, 2), Buffer.from([0xff, 0xe1]), size, body, picture.subarray(2)]);
}

/** Sends a mail with files, and returns the thumbnail of each: its status, its type and its pixels. */
async function thumbnailsOf(server: TestServer, files: readonly (readonly [type: string, bytes: Buffer])[]) {
  const parts = files.map(([type, bytes], at) =>
    [
      '--m',
      `Content-Type: ${type}; name="${at}"`,
      'Content-Disposition: attachment',
      'Content-Transfer-Encoding: base64',
      '',
      ...(bytes.toString('base64').match(/.{1,76}/g) ?? []),
    ].join('\r\n'),
  );
  const head =
    'From: a@x.test\r\nSubject: pictures\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n';
  const bytes = Buffer.from(`${head}${parts.join('\r\n')}\r\n--m--\r\n`);
  await sendAll(server.smtp.port, [{ name: 'pictures', mailFrom: 'a@x.test', rcptTo: ['b@y.test'], bytes }]);
  const message: unknown = await (await fetch(`${server.url}/api/v1/message/latest`)).json();
  return Promise.all(
    rows(message, 'Attachments').map(async ({ PartID }) => {
      const answer = await fetch(`${server.url}/api/v1/message/latest/part/${String(PartID)}/thumb`);
      const { width, height, data } = decode(Buffer.from(await answer.arrayBuffer()), { useTArray: true });
      const at = (x: number, y: number) => colourOf([...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)]);
      return { status: answer.status, type: answer.headers.get('content-type'), size: `${width}x${height}`, at };
    }),
  );
}

/** Names a colour that JPEG has changed a little. */
function colourOf(rgb: readonly number[]): string {
  const text = rgb.map((one) => (one > 200 ? 'f' : one < 60 ? '0' : '7')).join('');
  return { fff: 'white', f00: 'red', '00f': 'blue' }[text] ?? text;
}

plain('a thumbnail is cropped around the middle of a large picture, and a small one lies on white', async () => {
  await using server = await startServer({ compat: ['mailpit'] });
  const halves = (width: number) => (x: number) => (x < width / 2 ? RED : BLUE);
  const [large, small, wide, clear, upright, gif] = await thumbnailsOf(server, [
    ['image/png', png(720, 480, halves(720))],
    ['image/png', png(60, 40, halves(60))],
    ['image/jpeg', jpeg(1000, 200, (x) => (x < 350 || x > 650 ? BLUE : RED))],
    ['image/png', png(200, 200, (x) => (x < 100 ? CLEAR : RED))],
    [
      'image/jpeg',
      turned(
        jpeg(400, 600, (_x, y) => (y < 300 ? RED : BLUE)),
        6,
      ),
    ],
    ['image/gif', Buffer.from('R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')],
  ]);
  for (const one of [large, small, wide, clear, upright, gif])
    expect(one).toMatchObject({ status: 200, type: 'image/jpeg', size: '180x120' });
  expect([large?.at(10, 60), large?.at(170, 60), large?.at(2, 2)]).toEqual(['red', 'blue', 'red']);
  expect([small?.at(10, 60), small?.at(70, 60), small?.at(110, 60), small?.at(90, 20)]).toEqual([
    ...['white', 'red', 'blue', 'white'],
  ]);
  // A strip of 300 of 1,000 columns fills the thumbnail.
  expect([wide?.at(10, 60), wide?.at(90, 60), wide?.at(170, 60)]).toEqual(['red', 'red', 'red']);
  expect([clear?.at(20, 60), clear?.at(160, 60)]).toEqual(['white', 'red']);
  // Turned a quarter clockwise, its top is at the right.
  expect([upright?.at(10, 60), upright?.at(170, 60)]).toEqual(['blue', 'red']);
  expect(gif?.at(20, 20)).toBe('white');
});

/** A PNG whose header tells another size than it has. */
function pngOfSize(width: number, height: number): Buffer {
  const bytes = png(4, 4, () => RED);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function jpegOfSize(width: number, height: number): Buffer {
  const bytes = jpeg(16, 16, () => RED);
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

plain('what is no picture, broken, too large or a bomb has a white thumbnail, and mail is read meanwhile', async () => {
  await using server = await startServer({ compat: ['mailpit'] });
  const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  const largeFrame = Buffer.from(gif);
  const frame = largeFrame.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]));
  largeFrame.writeUInt16LE(65_535, frame + 5);
  largeFrame.writeUInt16LE(65_535, frame + 7);
  const broken = png(300, 300, () => RED);
  const bomb = png(4, 4, () => RED);
  const data = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const inflating = Buffer.concat([bomb.subarray(0, 33), size, Buffer.from('IDAT'), data, Buffer.alloc(4)]);
  const files: (readonly [string, Buffer])[] = [
    ['image/png', pngOfSize(60_000, 60_000)],
    ['image/png', pngOfSize(0, 0)],
    ['image/png', broken.subarray(0, broken.length - 40)],
    ['image/png', inflating],
    ['image/jpeg', jpegOfSize(65_535, 65_535)],
    ['image/jpeg', jpeg(200, 200, () => RED).subarray(0, 300)],
    ['image/gif', largeFrame],
    ['image/gif', Buffer.from('GIF89a')],
    ['image/webp', Buffer.from('RIFF....WEBP')],
    ['text/plain', png(300, 300, () => RED)],
    ['image/png', Buffer.from('not a picture')],
  ];
  const began = Date.now();
  const thumbnails = await thumbnailsOf(server, files);
  expect(thumbnails).toHaveLength(files.length);
  for (const [at, one] of thumbnails.entries())
    expect([at, one.status, one.size, one.at(90, 60)]).toEqual([at, 200, '180x120', 'white']);
  expect(Date.now() - began).toBeLessThan(60_000);
  expect((await fetch(`${server.url}/api/v1/message/latest/part/99/thumb`)).status).toBe(404);
});
