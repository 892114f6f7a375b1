import { generateKeyPair, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** The names in a certificate, and the times between which it is valid. */
export interface CertificateFields {
  readonly commonName: string;
  /** Host names and IP addresses. Empty for a certificate of no server. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The algorithms of a signature, by the kind of the key. RSA's has a parameter that is null (RFC 4055 section 5). */
const SIGNS = {
  ec: { algorithm: '1.2.840.10045.4.3.2' },
  rsa: { algorithm: '1.2.840.113549.1.1.11', parameters: new Uint8Array([5, 0]).buffer },
} as const;
const COMMON_NAME = '2.5.4.3';

/**
 * Makes a key and a certificate that the key itself signs (RFC 5280 4.1). A server's is an ECDSA key, because an RSA key
 * takes a second on a small machine. node:crypto makes and uses the key; it cannot write a certificate.
 */
export async function makeSelfSigned(
  fields: CertificateFields,
  kind: keyof typeof SIGNS = 'ec',
): Promise<{ readonly cert: string; readonly key: string }> {
  const make = promisify(generateKeyPair);
  const { publicKey, privateKey } = await (kind === 'ec'
    ? make('ec', { namedCurve: 'P-256' })
    : make('rsa', { modulusLength: 2_048 }));
  const algorithm = new AlgorithmIdentifier(SIGNS[kind]);
  const name = nameOf(fields.commonName);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: name,
    validity: new Validity({ notBefore: fields.notBefore, notAfter: fields.notAfter }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: false })),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
      ...(fields.names.length === 0
        ? []
        : [
            extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
            extension(id_ce_subjectAltName, new SubjectAlternativeName(fields.names.map(generalName))),
          ]),
    ]),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), privateKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return {
    cert: new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function nameOf(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function extension(extnID: string, value: object): Extension {
  return new Extension({ extnID, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function generalName(name: string): GeneralName {
  return new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name });
}

/** Returns a positive random serial number, unique among all certificates a client may remember (RFC 5280 4.1.2.2). */
function serialNumber(): ArrayBuffer {
  return new Uint8Array([1, ...randomBytes(15)]).buffer;
}
