/** A source of cryptographically secure random bytes. */
export interface Random {
  bytes(count: number): Uint8Array;
}
