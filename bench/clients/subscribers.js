import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { createInterface } from 'node:readline';

// This program opens hundreds of subscribers of the feed on raw sockets. They only find the ends of frames, so that the
// load is on the server. It prints "subscribed" when all are connected, and the number of events when its standard
// input ends.

const { port, path, queries } = JSON.parse(process.argv[2]);
const TEXT = 0x81;
const PING = 0x89;
const MASKED_PONG = 0x8a;
const NO_MASK = Buffer.alloc(4);

let events = 0;
let lost = 0;
for (let at = 0; at < queries.length; at += 50) await Promise.all(queries.slice(at, at + 50).map(subscribe));
console.log(JSON.stringify({ event: 'subscribed' }));
for await (const _ of createInterface({ input: process.stdin })) {
  // The only input is the end of the stream.
}
console.log(JSON.stringify({ event: 'told', events, lost }));
process.exit(0);

function subscribe(query) {
  const socket = net.connect(port, '127.0.0.1');
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`;
  socket.write([`GET ${path}?${query} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, key, '', ''].join('\r\n'));
  socket.on('close', () => lost++);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (answer) => {
      if (!String(answer).startsWith('HTTP/1.1 101 ')) return reject(new Error(String(answer)));
      const frames = frameReader((pong) => socket.write(pong));
      const end = answer.indexOf('\r\n\r\n') + 4;
      frames(answer.subarray(end));
      socket.on('data', frames);
      resolve();
    });
  });
}

/** Creates a reader of frames (RFC 6455 section 5.2), which may be cut anywhere. */
function frameReader(answer) {
  let rest = Buffer.alloc(0);
  let skip = 0;
  return (chunk) => {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const skipped = Math.min(skip, bytes.length);
    skip -= skipped;
    bytes = bytes.subarray(skipped);
    while (bytes.length >= 10 || (bytes.length >= 2 && bytes[1] < 126 && bytes.length >= 2 + bytes[1])) {
      const short = bytes[1];
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
      if (bytes[0] === TEXT) events++;
      if (bytes[0] === PING) {
        if (bytes.length < head + size) break;
        const payload = bytes.subarray(head, head + size);
        answer(Buffer.concat([Buffer.from([MASKED_PONG, 0x80 | size]), NO_MASK, payload]));
      }
      const there = Math.min(bytes.length, head + size);
      skip = head + size - there;
      bytes = bytes.subarray(there);
    }
    rest = bytes;
  };
}
