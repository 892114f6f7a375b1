import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject } from '../text/unknown.ts';
import { type AuthenticatorId, type KeyId, type MailboxId, parseUlid, type Ulid, type WorkspaceId } from './ids.ts';

// API keys (docs/api.md#authentication): `svc_live_` and 43 base64url characters, which are 32 random bytes. Only the
// SHA-256 is stored.

export interface Scopes {
  /** `all` includes mailboxes and authenticators created after the key. */
  readonly mailboxes: 'all' | readonly MailboxId[];
  readonly authenticators: 'all' | readonly AuthenticatorId[];
  /** Webhooks belong to the workspace, so a key uses all of them or none. */
  readonly webhooks: 'all' | 'none';
}

export interface ApiKey {
  readonly id: KeyId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  /** The SHA-256 of the plaintext in hex. */
  readonly hash: string;
  readonly scopes: Scopes;
  /** Tells whether it is the development key, with which the server starts. */
  readonly seeded: boolean;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export const ALL_SCOPES: Scopes = { mailboxes: 'all', authenticators: 'all', webhooks: 'all' };

const KEY = /^svc_live_[A-Za-z0-9_-]{1,200}$/;

/**
 * Extracts the key from an Authorization header. Returns null if it is missing or malformed. The scheme ignores case
 * (RFC 9110 11.1).
 */
export function bearerKey(header: string | undefined): string | null {
  const match = header === undefined ? null : /^bearer +(\S+)$/i.exec(header);
  return match?.[1] !== undefined && KEY.test(match[1]) ? match[1] : null;
}

export function isWellFormedKey(key: string): boolean {
  return KEY.test(key);
}

/** Writes the plaintext of a new key from 32 random bytes. */
export function writeKey(random: Uint8Array): string {
  return `svc_live_${Buffer.from(random).toString('base64url')}`;
}

export function hashKey(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('hex');
}

/** Compares two secrets by their hashes, so that the time does not tell even their length. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashKey(one)), Buffer.from(hashKey(other)));
}

export function canReadMailbox(key: ApiKey, mailbox: { id: MailboxId; workspaceId: WorkspaceId }): boolean {
  if (mailbox.workspaceId !== key.workspaceId) return false;
  return key.scopes.mailboxes === 'all' || key.scopes.mailboxes.includes(mailbox.id);
}

export function canReadAuthenticator(
  key: ApiKey,
  authenticator: { id: AuthenticatorId; workspaceId: WorkspaceId },
): boolean {
  if (authenticator.workspaceId !== key.workspaceId) return false;
  return key.scopes.authenticators === 'all' || key.scopes.authenticators.includes(authenticator.id);
}

/** Tells whether a key may use the webhooks of its workspace and their captured requests. */
export function canUseWebhooks({ scopes }: ApiKey): boolean {
  return scopes.webhooks !== 'none';
}

/** Parses the scopes of a request. Returns null if they are malformed. A missing part means `all`. */
export function parseScopes(value: unknown): Scopes | null {
  if (!isObject(value)) return null;
  const mailboxes = parseScope<MailboxId>(value['mailboxes']);
  const authenticators = parseScope<AuthenticatorId>(value['authenticators']);
  const webhooks = value['webhooks'] ?? 'all';
  if (webhooks !== 'all' && webhooks !== 'none') return null;
  return mailboxes === null || authenticators === null ? null : { mailboxes, authenticators, webhooks };
}

function parseScope<Id extends Ulid>(value: unknown): 'all' | Id[] | null {
  if (value === undefined || value === null || value === 'all') return 'all';
  if (!Array.isArray(value)) return null;
  const ids = new Set<Id>();
  for (const entry of value) {
    const id = typeof entry === 'string' ? parseUlid<Id>(entry) : null;
    if (id === null) return null;
    ids.add(id);
  }
  return [...ids];
}

/** The least length of an admin token, in characters. A shorter one could be guessed by asking the server. */
export const LEAST_TOKEN_LENGTH = 16;

/** Tells whether a text may be an admin token: 16 to 200 visible ASCII characters, as a header can send them. */
export function isAdminToken(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text) && text.length >= LEAST_TOKEN_LENGTH;
}
