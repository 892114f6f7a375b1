import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import type { Hmac } from '../../webhooks/schemes.ts';

const HASHES = { sha1, sha256, sha512 };

/** The HMAC function for a runtime without `node:crypto`. */
export const libraryHmac: Hmac = (hash, key, ...parts) => {
  const made = hmac.create(HASHES[hash], key);
  for (const part of parts) made.update(part);
  return made.digest();
};
