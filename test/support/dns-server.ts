import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The answer of a name server: TXT records, a response code of RFC 1035 4.1.1, or null for no answer at all. */
export type Reply = { readonly texts: readonly string[] } | { readonly code: number } | null;

export interface DnsServer extends AsyncDisposable {
  /** The address as `127.0.0.1:port`. */
  readonly address: string;
  readonly asked: string[];
}

/** Starts a name server on loopback that answers TXT queries. */
export async function dnsServer(reply: (name: string) => Reply): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameAt(query, 12);
    asked.push(name);
    const said = reply(name);
    if (said !== null) socket.send(response(query, query.subarray(12, end + 4), said), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Reads the name of a question (RFC 1035 4.1.2), and returns it with its end. */
function nameAt(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function response(query: Buffer, question: Buffer, said: NonNullable<Reply>): Buffer {
  const answers = 'texts' in said ? said.texts.map(record) : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | ('code' in said ? said.code : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, question, ...answers]);
}

/** Encodes a TXT record for the queried name in strings of 100 bytes. */
function record(text: string): Buffer {
  const strings = (text.match(/.{1,100}/g) ?? ['']).map((part) =>
    Buffer.from(`${String.fromCharCode(part.length)}${part}`, 'latin1'),
  );
  const data = Buffer.concat(strings);
  const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
