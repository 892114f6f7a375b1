const THIS_MACHINE = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.*\.)?localhost)$/i;

/**
 * Tells whether the host of a URL is this machine: localhost (RFC 6761 6.3) or a loopback address. An IPv6 address has
 * brackets, as in a URL.
 */
export function isThisMachine(hostname: string): boolean {
  return THIS_MACHINE.test(hostname);
}
