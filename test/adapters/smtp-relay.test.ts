import { expect, test } from 'vitest';
import { type RelayTimeouts, smtpRelay } from '../../src/adapters/smtp-relay.ts';
import type { RelayMessage } from '../../src/ports/outbound.ts';
import { type Script, type ScriptedRelay, scriptedRelay } from '../relay/scripted-relay.ts';

const ADA = 'ada@x.test';
const BOB = 'bob@x.test';
const TIMEOUTS: RelayTimeouts = { connectMs: 2_000, greetingMs: 300, silenceMs: 300, transactionMs: 20_000 };

interface Attempt {
  readonly peer: ScriptedRelay;
  readonly outcomes: Record<string, string>;
  readonly replies: readonly string[];
  /** The accepted recipients of each hand-over. */
  readonly handedOver: (readonly string[])[];
}

interface Given extends Partial<Omit<RelayMessage, 'handOver'>> {
  readonly signal?: AbortSignal;
  readonly timeouts?: Partial<RelayTimeouts>;
  readonly handOver?: (accepted: readonly string[], peer: ScriptedRelay) => Promise<void>;
}

async function attempt(script: Script, given: Given = {}): Promise<Attempt> {
  await using peer = await scriptedRelay(script);
  const { signal = new AbortController().signal, timeouts = {}, ...fields } = given;
  const handedOver: (readonly string[])[] = [];
  const relay = smtpRelay(peer.url, { ...TIMEOUTS, ...timeouts });
  const message: RelayMessage = {
    from: 'app@mailcap.example.com',
    recipients: [ADA, BOB],
    raw: async function* () {
      yield Buffer.from('Subject: x\r\n\r\n.dot\r\n');
    },
    ...fields,
    handOver: async (accepted) => {
      handedOver.push([...accepted]);
      await fields.handOver?.(accepted, peer);
    },
  };
  const outcomes = await relay.send(message, signal);
  relay.close();
  return {
    peer,
    outcomes: Object.fromEntries([...outcomes].map(([address, { kind }]) => [address, kind])),
    replies: [...outcomes.values()].map(({ reply }) => reply),
    handedOver,
  };
}

const both = (kind: string) => ({ [ADA]: kind, [BOB]: kind });

test('a mail is sent once, to the recipients that the relay accepted', async () => {
  const { outcomes, handedOver, peer } = await attempt({ rcpt: (address) => (address === BOB ? '550 No' : '250 Ok') });
  expect(outcomes).toEqual({ [ADA]: 'accepted', [BOB]: 'refused' });
  expect(handedOver).toEqual([[ADA]]);
  expect(peer.taken).toEqual([{ from: 'app@mailcap.example.com', rcptTo: [ADA], raw: 'Subject: x\r\n\r\n.dot\r\n' }]);
});

test.each<[string, Script, string]>([
  ['says nothing', { greet: () => 'stall' }, 'deferred'],
  ['stalls at MAIL', { mail: () => 'stall' }, 'deferred'],
  ['stalls at RCPT', { rcpt: () => 'stall' }, 'deferred'],
  ['stalls at DATA', { data: () => 'stall' }, 'deferred'],
  ['stalls after the end of the message', { end: () => 'stall' }, 'unknown'],
  ['drops at MAIL', { mail: () => 'drop' }, 'deferred'],
  ['drops at DATA', { data: () => 'drop' }, 'deferred'],
  ['drops after the end of the message', { end: () => 'drop' }, 'unknown'],
  ['says 4xx to all', { rcpt: () => '450 4.2.1 Later' }, 'deferred'],
  ['says 421 to all', { rcpt: () => '421 4.3.2 Closing' }, 'deferred'],
  ['says 5xx to all', { rcpt: () => '550 5.1.1 No' }, 'refused'],
  ['says 4xx at the end', { end: () => '451 4.3.0 Later' }, 'deferred'],
  ['says 5xx at the end', { end: () => '554 5.7.1 Spam' }, 'refused'],
  ['says what is no reply at the end', { end: () => 'xyz' }, 'unknown'],
])('a relay that %s', async (_what, script, kind) => {
  const { outcomes } = await attempt(script);
  expect(outcomes).toEqual(both(kind));
});

test.each<[string, string]>([
  ['451 4.7.1 Greylisted', 'deferred'],
  ['550 5.1.8 Bad sender', 'refused'],
])('after a sender that was answered %s, the 503 to its pipelined recipients does not count', async (reply, kind) => {
  const { outcomes, replies } = await attempt({ mail: () => reply, rcpt: () => '503 5.5.1 MAIL first' });
  expect(outcomes).toEqual(both(kind));
  expect(replies).toEqual([reply, reply]);
});

test('nobody bounces if the relay defers the sender, or if the connection breaks before all recipients are answered', async () => {
  const { outcomes } = await attempt({
    mail: () => '451 4.7.1 Greylisted',
    rcpt: (address) => (address === BOB ? 'drop' : '503 5.5.1 MAIL first'),
  });
  expect(outcomes).toEqual(both('deferred'));
});

test('the send is marked before the end of the message goes out; if the mark fails, the end never goes out', async () => {
  const refuse = async () => {
    throw new Error('the disk is full');
  };
  const { outcomes, peer, replies } = await attempt({}, { handOver: refuse });
  expect(outcomes).toEqual(both('deferred'));
  expect(replies[0]).toContain('the disk is full');
  expect(peer.seen).toEqual([]);
});

test('the end of the message does not go out if the connection breaks while the mark is set', async () => {
  let marked = () => {};
  const marking = new Promise<void>((resolve) => {
    marked = resolve;
  });
  const { outcomes, peer } = await attempt(
    {},
    {
      handOver: (_accepted, relay) => {
        relay.cut();
        return marking;
      },
    },
  );
  marked();
  await marking;
  expect(outcomes).toEqual(both('deferred'));
  expect(peer.seen).toEqual([]);
});

test('a mail whose bytes can’t be read is deferred, and the part that was sent is no message', async () => {
  const { outcomes, peer, handedOver } = await attempt(
    {},
    {
      raw: async function* () {
        yield Buffer.from('Subject: x\r\n\r\n');
        throw new Error('the disk is gone');
      },
    },
  );
  expect(outcomes).toEqual(both('deferred'));
  expect([peer.seen, handedOver]).toEqual([[], []]);
});

test.each<[string, Script, string]>([
  ['before the message', { mail: () => 'stall' }, 'deferred'],
  ['after its end', { end: () => 'stall' }, 'unknown'],
])('cut off %s', async (_when, script, kind) => {
  const cut = new AbortController();
  const stalling = Object.fromEntries(
    Object.entries(script).map(([name, move]) => [
      name,
      () => {
        setImmediate(() => cut.abort());
        return (move as () => string)();
      },
    ]),
  );
  const { outcomes } = await attempt(stalling, { signal: cut.signal, timeouts: { silenceMs: 60_000 } });
  expect(outcomes).toEqual(both(kind));
});

test('a relay that keeps talking and never ends is cut off', async () => {
  const { outcomes } = await attempt({ mail: () => 'stall' }, { timeouts: { silenceMs: 60_000, transactionMs: 300 } });
  expect(outcomes).toEqual(both('deferred'));
});

test('an address that SMTP can’t express is refused for good, and breaks no connection', async () => {
  const { outcomes } = await attempt({}, { recipients: ['"a>b"@x.test'] });
  expect(outcomes).toEqual({ '"a>b"@x.test': 'impossible' });
});
