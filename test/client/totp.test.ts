import { expect } from 'vitest';
import { OptionError } from '../../src/client/index.ts';
import { MODES, testsOf } from './modes.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

// Each of these URIs appears in the QR code of some app, or is pasted by a user.
const URIS = [
  `otpauth://totp/?secret=${SECRET}`,
  `otpauth://totp?secret=${SECRET}`,
  `  otpauth://totp/ada?secret=${SECRET}\n`,
  `OTPAUTH://TOTP/ada?secret=${SECRET.toLowerCase()}`,
  `otpauth://totp/The%20Shop%3Aada%40x.test?secret=${SECRET}&issuer=The+Shop`,
  `otpauth://totp/ada?secret=gezd%20gnbv-gy3t+qojq%3D%3D&algorithm=sha-256&digits=8&period=60&image=x`,
  `otpauth://totp/ada?secret=${SECRET}&algorithm=&digits=`,
  `otpauth://totp/100%?secret=${SECRET}`,
  `otpauth://totp/ada?secret=${SECRET}&period=3e1`,
  `otpauth://totp/ada?secret=${SECRET}&period=10`,
  `otpauth://totp/ada?secret=${SECRET}&digits=7`,
  `otpauth://hotp/ada?secret=${SECRET}&counter=0`,
  `otpauth://totp/ada?secret=A`,
];

for (const mode of MODES) {
  const test = testsOf(mode);

  test.for(URIS)(`${mode}: client and server read the same from %j`, async (uri, { stage }) => {
    const ask = () =>
      fetch(`${stage.mailcap.url}/_mailcap/totp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ uri }),
      });
    if (!(await ask()).ok) {
      expect(() => stage.client.authenticator({ uri })).toThrow(OptionError);
      return;
    }
    const mine = await stage.client.authenticator({ uri }).code({ minRemaining: 2_000 });
    expect(await (await ask()).json()).toMatchObject({ code: mine });
  });

  test(`${mode}: a URI that is read gives a code, one that is not is refused before a code is asked for`, ({
    stage,
  }) => {
    const isRead = (uri: string) => {
      try {
        return stage.client.authenticator(uri).id === null;
      } catch {
        return false;
      }
    };
    expect(URIS.map(isRead)).toEqual([...Array(8).fill(true), ...Array(5).fill(false)]);
  });
}
