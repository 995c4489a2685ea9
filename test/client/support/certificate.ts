import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A key and a certificate that it signed itself, both as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

// X.509 (RFC 5280) in DER: the least that Node's TLS takes for the certificate of a server.
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const ALTERNATIVE_NAMES = Buffer.from('551d11', 'hex');

/** Makes a certificate for a host name or an IPv4 address, valid for an hour. */
export function selfSign(host: string, now = Date.now()): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBody(host, publicKey, now);
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', body, privateKey));
  const bytes = der(SEQUENCE, body, algorithm(), signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function toBody(host: string, publicKey: KeyObject, now: number): Buffer {
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8_STRING, Buffer.from(host)))),
  );
  return der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm(),
    name,
    der(SEQUENCE, time(now - 60_000), time(now + 3_600_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, alternativeNames(host))),
  );
}

function alternativeNames(host: string): Buffer {
  const isAddress = /^[\d.]+$/.test(host);
  const name = isAddress
    ? der(IP_ADDRESS, Buffer.from(host.split('.').map(Number)))
    : der(DNS_NAME, Buffer.from(host));
  return der(SEQUENCE, der(OBJECT_ID, ALTERNATIVE_NAMES), der(OCTET_STRING, der(SEQUENCE, name)));
}

function algorithm(): Buffer {
  return der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256));
}

function time(ms: number): Buffer {
  return der(
    GENERALIZED_TIME,
    Buffer.from(new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')),
  );
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}
