const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Tells whether a lower-case A-label domain is a host name: labels of letters, digits and hyphens (RFC 1123 2.1). */
export function isHostName(domain: string): boolean {
  return domain.length <= 253 && domain.split('.').every((label) => LABEL.test(label));
}
