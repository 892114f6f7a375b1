/**
 * The DNS queries that SPF needs. A method returns null if the name or the record does not exist, and rejects if no
 * server gave an answer.
 */
export interface Dns {
  /** The TXT records, each as its list of character-strings (RFC 1035 3.3.14). */
  txt(name: string): Promise<string[][] | null>;
  a(name: string): Promise<string[] | null>;
  aaaa(name: string): Promise<string[] | null>;
  mx(name: string): Promise<MailExchange[] | null>;
  /**
   * The host names of an address. `name` is the address as a name under in-addr.arpa (RFC 1035 3.5) or ip6.arpa (RFC
   * 3596 2.5).
   */
  ptr(name: string): Promise<string[] | null>;
  /** Cancels the pending queries. */
  close(): void;
}

export interface MailExchange {
  readonly exchange: string;
  readonly priority: number;
}
