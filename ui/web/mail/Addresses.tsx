import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { Button } from '../parts/controls.tsx';
import { splitAddresses } from './addresses.ts';

/** The number of addresses shown before the reader asks for the rest. */
const SHOWN = 4;
/** The most addresses that are drawn. The tab of headers has all of them. */
const MOST = 500;

/** Shows the addresses of a header. A line is broken between two of them. */
export function Addresses({ value }: { readonly value: string }) {
  const [all, setAll] = useState(false);
  const addresses = splitAddresses(value);
  // One more is shown at once, because the button needs its room too.
  const isCut = !all && addresses.length > SHOWN + 1;
  const shown = addresses.slice(0, isCut ? SHOWN : MOST);
  return (
    <>
      {shown.map((address, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: addresses can repeat
        <span key={index} className="one-address">
          {harmlessLine(address, 320)}
          {index < shown.length - 1 ? ', ' : ''}
        </span>
      ))}
      {(isCut || addresses.length > MOST) && (
        <Button look="quiet" className="more" disabled={all} onClick={() => setAll(true)}>
          {addresses.length - shown.length} more
        </Button>
      )}
    </>
  );
}
