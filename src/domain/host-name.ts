const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a domain in A-labels and lower case is a host's name: labels of letters, digits and hyphens (RFC 1123 2.1). */
export function isHostName(domain: string): boolean {
  return domain.length <= 253 && domain.split('.').every((label) => LABEL.test(label));
}
