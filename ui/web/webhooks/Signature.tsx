import { type FormEvent, useState } from 'react';
import { type Verdict, verifySignature } from '../../../src/client/webhook/signature.ts';
import { harmlessLine } from '../../../src/text/harmless.ts';
import {
  type HmacScheme,
  SCHEME_NAMES,
  type SignatureScheme,
  schemeNamed,
  schemeOfHeaders,
} from '../../../src/webhooks/schemes.ts';
import { Button } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { Tone } from '../parts/view-controls.tsx';
import type { LoadedRequest } from './request-body.ts';

const SCHEMES: readonly { readonly id: string; readonly name: string }[] = [
  ...SCHEME_NAMES.map((id) => ({ id, name: schemeNamed(id)?.title ?? id })),
  { id: 'hmac', name: 'HMAC in a header' },
];

const ENCODINGS = [
  { id: 'hex', name: 'hex' },
  { id: 'base64', name: 'base64' },
] as const;

/** Checks whether a request was signed with a secret over its exact bytes. The secret never leaves the page. */
export function SignatureCheck({ loaded: { request, body } }: { readonly loaded: LoadedRequest }) {
  const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const names = Object.keys(headers);
  const [scheme, setScheme] = useState<string>(schemeOfHeaders(headers) ?? 'hmac');
  const [secret, setSecret] = useState('');
  const [header, setHeader] = useState(names.find((name) => name.includes('signature')) ?? 'x-signature');
  const [prefix, setPrefix] = useState('sha256=');
  const [encoding, setEncoding] = useState<'hex' | 'base64'>('hex');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const check = async (event: FormEvent) => {
    event.preventDefault();
    const own: HmacScheme = { header, encoding, ...(prefix === '' ? {} : { prefix }) };
    try {
      // The library loads with the first check, so that the mail page starts without it.
      const { libraryHmac } = await import('../../../src/client/webhook/library-hmac.ts');
      const chosen = scheme === 'hmac' ? own : scheme;
      // The name comes from the list above, which matches the client's schemes.
      setVerdict(
        verifySignature(
          { headers, rawBody: body, receivedAt: new Date(request.receivedAt) },
          chosen as SignatureScheme,
          secret,
          libraryHmac,
        ),
      );
    } catch (error) {
      setVerdict({ ok: false, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <form className="form" onSubmit={(event) => void check(event)}>
      <div className="form-row">
        <SelectField label="Signed by" value={scheme} options={SCHEMES} onPick={setScheme} />
        <InputField label="Secret" type="password" autoComplete="off" required value={secret} onValue={setSecret} />
      </div>
      {scheme === 'hmac' && (
        <div className="form-row">
          <InputField label="Header" value={header} required onValue={(value) => setHeader(value.toLowerCase())} />
          <InputField label="Prefix of the signature" value={prefix} onValue={setPrefix} />
          <SelectField label="Written in" value={encoding} options={ENCODINGS} onPick={setEncoding} />
        </div>
      )}
      <div className="form-actions">
        <Button submit look="main">
          Check the signature
        </Button>
        <span className="faint">The secret is neither sent nor stored.</span>
      </div>
      {verdict !== null && (
        <p className={`note ${verdict.ok ? 'good' : 'bad'}`} role="status">
          <Tone tone={verdict.ok ? 'good' : 'bad'}>
            {verdict.ok
              ? 'The request was signed with this secret, and its body is unchanged.'
              : harmlessLine(`The signature is wrong. ${verdict.reason ?? ''}`, 600)}
          </Tone>
        </p>
      )}
    </form>
  );
}
