import { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate, id_ce_subjectAltName, SubjectAlternativeName } from '@peculiar/asn1-x509';
import { expect, test } from 'vitest';
import { makeSelfSigned } from '../../src/smtp/self-signed.ts';

const NAMES = ['localhost', 'mailcap.example.com', '*.mailcap.example.com', `${'long.'.repeat(40)}test`];
const ADDRESSES = [
  '127.0.0.1',
  '::1',
  '2001:db8::8:800:200c:417a',
  'fe80::1',
  '::',
  '1:2:3:4:5:6:7:8',
  '::ffff:192.0.2.1',
];

/** Reads a certificate as a library does that reads DER strictly, and writes it again. */
function readAgain(pem: string): { readonly certificate: Certificate; readonly der: Buffer; readonly again: Buffer } {
  const der = new X509Certificate(pem).raw;
  const certificate = AsnConvert.parse(der, Certificate);
  return { certificate, der, again: Buffer.from(AsnConvert.serialize(certificate)) };
}

test.each([
  ['in this year', '2026-05-06T07:08:09Z', '2027-05-06T07:08:09Z'],
  ['beyond 2049', '2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'],
])('a certificate %s is the one that another library writes, with its names, addresses and times', (_, from, to) => {
  const [notBefore, notAfter] = [new Date(from), new Date(to)];
  const { cert, key } = makeSelfSigned({
    commonName: 'K\u00f6ln',
    names: [...NAMES, ...ADDRESSES],
    notBefore,
    notAfter,
  });
  const { certificate, der, again } = readAgain(cert);
  expect(again.toString('hex')).toBe(der.toString('hex'));
  const { validity, subject, extensions = [] } = certificate.tbsCertificate;
  expect([validity.notBefore.getTime(), validity.notAfter.getTime()]).toEqual([notBefore, notAfter]);
  expect(subject[0]?.[0]?.value.toString()).toBe('K\u00f6ln');
  const names =
    extensions.find(({ extnID }) => extnID === id_ce_subjectAltName)?.extnValue.buffer ?? new ArrayBuffer(0);
  const read = [...AsnConvert.parse(names, SubjectAlternativeName)].map((one) => one.dNSName ?? one.iPAddress);
  expect(read.slice(0, NAMES.length)).toEqual(NAMES);

  const known = new X509Certificate(cert);
  expect(known.verify(known.publicKey)).toBe(true);
  expect(key).toContain('PRIVATE KEY');
  expect(ADDRESSES.filter((address) => known.checkIP(address) === undefined)).toEqual([]);
  expect([known.checkIP('192.0.2.2'), known.ca]).toEqual([undefined, false]);
});
