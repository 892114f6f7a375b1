/** Returns `name:password` of a header `Authorization: Basic` (RFC 7617). Null if it is none. */
export function basicCredentials(authorization: string | undefined): string | null {
  const [, credentials] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  return credentials === undefined ? null : Buffer.from(credentials, 'base64').toString();
}
