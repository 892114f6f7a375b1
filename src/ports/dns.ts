/** What SPF asks of DNS. Null: there is no such name, or no such record of it. Rejects where nobody could say. */
export interface Dns {
  /** Each record as its character-strings. */
  txt(name: string): Promise<string[][] | null>;
  a(name: string): Promise<string[] | null>;
  aaaa(name: string): Promise<string[] | null>;
  mx(name: string): Promise<MailExchange[] | null>;
  /** The names of an address, which is given as a name under in-addr.arpa or ip6.arpa. */
  ptr(name: string): Promise<string[] | null>;
  /** Ends what is under way. */
  close(): void;
}

export interface MailExchange {
  readonly exchange: string;
  readonly priority: number;
}
