import { createHmac, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function newSecret() {
  return Array.from({ length: 32 }, () => ALPHABET[randomInt(32)]).join('');
}

/**
 * Tells whether a code is that of the current time step (RFC 6238) or the one before, and was not used. Each code is
 * valid once.
 */
export function isCodeOf(account, code) {
  const step = Math.floor(Date.now() / 30_000);
  const found = [step, step - 1].find((one) => codeAt(account.secret, one) === code && one > (account.lastStep ?? 0));
  if (found !== undefined) account.lastStep = found;
  return found !== undefined;
}

function codeAt(secret, step) {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
