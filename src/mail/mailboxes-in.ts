/** One address of a header field, with its display name. */
export interface NamedAddress {
  /** Without quotes; '' if there is none. */
  readonly name: string;
  readonly address: string;
}

/** Lists the addresses of a decoded address list, also those of groups. Text that is no address is left out. */
export async function mailboxesIn(list: string | null): Promise<readonly NamedAddress[]> {
  if (list === null) return [];
  const { default: addressparser } = await import('nodemailer/lib/addressparser');
  return addressparser(list, { flatten: true }).flatMap(({ name, address }) =>
    address ? [{ name: name ?? '', address }] : [],
  );
}
