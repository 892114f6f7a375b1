/** Writes a time as mail does (RFC 5322 3.3), in UTC. */
export function mailDate(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000');
}
