import { spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSelfSigned } from '../../src/self-signed.ts';

const FIELDS = { commonName: 'inbox.test', notBefore: new Date('2020-01-02T03:04:05Z') };
const OF_A_SERVER = [
  ...['localhost', '*.inbox.test', '127.0.0.1', '::1', '::', '2001:db8:1:2:3:4:5:6', '::ffff:1.2.3.4', 'fe80::1%eth0'],
];

test.each([
  { kind: 'ec', names: OF_A_SERVER, notAfter: '2049-12-31T23:59:59Z' },
  { kind: 'ec', names: OF_A_SERVER, notAfter: '2050-01-01T00:00:00Z' },
  // The lengths of its parts take one to four bytes.
  {
    kind: 'ec',
    names: Array.from({ length: 5_000 }, (_, n) => `host-${n}.inbox.test`),
    notAfter: '2040-01-01T00:00:00Z',
  },
  { kind: 'rsa', names: [], notAfter: '2040-01-01T00:00:00Z' },
] as const)(
  'a self-signed certificate ($kind, $names.length names, until $notAfter) says what it was made of',
  async ({ kind, names, notAfter }) => {
    const made = await makeSelfSigned({ ...FIELDS, names, notAfter: new Date(notAfter) }, kind);
    const certificate = new X509Certificate(made.cert);
    expect(made.cert).toBe(certificate.toString());
    expect(certificate.subject).toBe('CN=inbox.test');
    expect(certificate.issuer).toBe('CN=inbox.test');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(made.key))).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBe(FIELDS.notBefore.getTime());
    expect(Date.parse(certificate.validTo)).toBe(Date.parse(notAfter));
    for (const name of names.slice(-8)) {
      const [address = ''] = name.split('%');
      expect(/:|^127/.test(name) ? certificate.checkIP(address) : certificate.checkHost(name)).toBeDefined();
    }
    expect(certificate.checkHost('other.test')).toBeUndefined();
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
  },
);

test('OpenSSL finds nothing against a self-signed certificate by the strict rules', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-certificate-'));
  const path = join(directory, 'cert.pem');
  const { cert } = await makeSelfSigned({ ...FIELDS, names: OF_A_SERVER, notAfter: new Date('2049-01-01T00:00:00Z') });
  await writeFile(path, cert);
  const { stdout } = spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', path, path], { encoding: 'utf8' });
  expect(stdout).toBe(`${path}: OK\n`);
  await rm(directory, { recursive: true });
});
