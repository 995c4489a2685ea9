import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** What the device and the browser write into a response. An attack writes something else. */
export interface Written {
  readonly origin: string;
  readonly rpId: string;
  readonly challenge: string;
  readonly type: 'webauthn.create' | 'webauthn.get';
  readonly isUserVerified: boolean;
  readonly counter: number;
  readonly userHandle: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const toText = (data: Buffer): string => data.toString('base64url');

/**
 * A device with one passkey, and the browser in front of it. WebAuthn level 3, sections 6.1 and
 * 6.5; P-256 and no attestation.
 */
export class Authenticator {
  readonly id = toText(randomBytes(16));
  private readonly privateKey: KeyObject;
  private readonly coseKey: Buffer;
  private readonly written: Omit<Written, 'challenge' | 'type'>;

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    this.coseKey = toCose(publicKey);
    this.written = {
      origin,
      rpId: new URL(origin).hostname,
      isUserVerified: true,
      counter: 0,
      userHandle: '',
    };
  }

  /** Uses so far. 0 and untouched: the device does not count. */
  counter = 0;
  private userHandle = '';

  create(
    { challenge, user }: PublicKeyCredentialCreationOptionsJSON,
    changes: Partial<Written> = {},
  ): RegistrationResponseJSON {
    this.userHandle = user.id;
    const written = this.write({ challenge, type: 'webauthn.create', ...changes });
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([0, id.length]);
    const data = Buffer.concat([
      toAuthData(written, HAS_KEY),
      Buffer.alloc(16),
      length,
      id,
      this.coseKey,
    ]);
    const attestationObject = Buffer.concat([
      // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR, the last as bytes whose length takes
      // one byte.
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461' + '58', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    const clientDataJSON = toText(toClientData(written));
    return this.wrap({
      clientDataJSON,
      attestationObject: toText(attestationObject),
      transports: ['internal'],
    });
  }

  get(
    { challenge }: PublicKeyCredentialRequestOptionsJSON,
    changes: Partial<Written> = {},
  ): AuthenticationResponseJSON {
    if (this.counter > 0) this.counter += 1;
    const written = this.write({ challenge, type: 'webauthn.get', ...changes });
    const authData = toAuthData(written, 0);
    const clientData = toClientData(written);
    const signature = sign(
      'sha256',
      Buffer.concat([authData, sha256(clientData)]),
      this.privateKey,
    );
    return this.wrap({
      clientDataJSON: toText(clientData),
      authenticatorData: toText(authData),
      signature: toText(signature),
      userHandle: written.userHandle,
    });
  }

  private write(changes: Partial<Written> & Pick<Written, 'challenge' | 'type'>): Written {
    return { ...this.written, userHandle: this.userHandle, counter: this.counter, ...changes };
  }

  private wrap<Response>(response: Response) {
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response,
    };
  }
}

function toAuthData({ rpId, isUserVerified, counter }: Written, flags: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags | PRESENT | (isUserVerified ? VERIFIED : 0));
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), head]);
}

function toClientData({ type, challenge, origin }: Written): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** RFC 9052: {kty: EC2, alg: ES256, crv: P-256, x, y}. */
function toCose(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}
