export interface Random {
  bytes(count: number): Uint8Array;
}
