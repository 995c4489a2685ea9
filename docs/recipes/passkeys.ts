import { randomBytes } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Request, RequestHandler } from 'express';
import type { ChallengeFactor } from 'passport-sms-otp';
import type { Passkey, PasskeyBook } from './passkey-book';

declare module 'express-session' {
  interface SessionData {
    /** The passkey that is being added. */
    newPasskey?: { userId: string; challenge: string; userHandle: string; expiresAt: number };
  }
}

export interface PasskeyOptions {
  /**
   * The host name to which passkeys are bound: `bank.example`, or `localhost`. Never an IP address.
   */
  readonly rpId: string;
  /** Where the pages are, exactly: `https://www.bank.example`. */
  readonly origin: string;
  /** Whether the device must check who holds it, by fingerprint, face or PIN. */
  readonly requireUserVerification: boolean;
  /** Told of refused responses. `counter-fell`: the passkey may have been copied. */
  readonly onRefused?: (refusal: PasskeyRefusal) => void;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

export interface PasskeyRefusal {
  readonly userId: string;
  readonly reason: 'not-their-passkey' | 'not-verified' | 'counter-fell';
  /** For developers; it may quote what the browser has sent. */
  readonly detail?: string;
}

/** The browser's dialog, and the registration, live as long as the library's challenge. */
const TIMEOUT_MS = 300_000;
const MOST_PASSKEYS = 20;
const LONGEST_NAME = 60;

/**
 * The factor: `createSmsOtp({ factors: [passkeyFactor(book, options)] })`, then `optionsWith` and
 * `verifyWith`.
 */
export function passkeyFactor(book: PasskeyBook, options: PasskeyOptions): ChallengeFactor {
  const { rpId, origin, requireUserVerification, onRefused } = options;
  return {
    name: 'passkey',
    field: 'credential',
    // RFC 8176: a key that is not known to be in hardware. Synced passkeys are not, and
    // `attestation: 'none'` proves nothing.
    amr: 'swk',
    isAvailable: async ({ id }) => (await book.list(id)).length > 0,
    async createOptions({ userId, challenge }) {
      return generateAuthenticationOptions({
        rpID: rpId,
        challenge: toBytes(challenge),
        allowCredentials: (await book.list(userId)).map(toDescriptor),
        userVerification: requireUserVerification ? 'required' : 'preferred',
        timeout: TIMEOUT_MS,
      });
    },
    async checkResponse({ userId, challenge, response }) {
      const refuse = (reason: PasskeyRefusal['reason'], detail?: string): false => {
        onRefused?.({ userId, reason, ...(detail !== undefined && { detail }) });
        return false;
      };
      const sent = response as AuthenticationResponseJSON | null; // Checked below, and by `verifyAuthenticationResponse`.
      const passkey = (await book.list(userId)).find(({ id }) => id === sent?.id);
      const { userHandle } = sent?.response ?? {};
      if (!sent || !passkey || (userHandle && userHandle !== passkey.userHandle))
        return refuse('not-their-passkey');
      const verified = await tryTo(() =>
        verifyAuthenticationResponse({
          response: sent,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
          requireUserVerification,
          // Compared below, atomically, and after the signature: without it anyone could tell of a
          // fallen counter.
          credential: { id: passkey.id, publicKey: passkey.publicKey, counter: 0 },
        }),
      );
      if (verified instanceof Error || !verified.verified)
        return refuse('not-verified', messageOf(verified));
      const { newCounter } = verified.authenticationInfo;
      return (await book.useCounter(userId, passkey.id, newCounter)) || refuse('counter-fell');
    },
  };
}

/**
 * What passkeys are called: `userName` in the browser's dialog, `passkeyName` until the user
 * chooses another.
 */
export interface PasskeyNames {
  readonly rpName: string;
  readonly userName: (req: Request) => string;
  readonly passkeyName?: (req: Request, now: Date) => string;
}

/**
 * Adding, naming and removing, for routes behind `requireSecondFactor({ maxAgeSeconds: 300 })` and
 * the CSRF protection.
 */
export function passkeySettings(book: PasskeyBook, options: PasskeyOptions, names: PasskeyNames) {
  const { rpId, origin, requireUserVerification, onRefused, now = Date.now } = options;

  /** Answers with the options for `navigator.credentials.create`. */
  const registrationOptions: RequestHandler = async (req, res) => {
    const userId = idOf(req);
    const passkeys = await book.list(userId);
    if (passkeys.length >= MOST_PASSKEYS)
      return void res.status(409).json({ error: 'too-many-passkeys' });
    const userHandle = passkeys[0]?.userHandle ?? randomBytes(32).toString('base64url');
    const challenge = randomBytes(32).toString('base64url');
    req.session.newPasskey = { userId, challenge, userHandle, expiresAt: now() + TIMEOUT_MS };
    const creation = await generateRegistrationOptions({
      rpName: names.rpName,
      rpID: rpId,
      userName: names.userName(req),
      userID: toBytes(userHandle),
      challenge: toBytes(challenge),
      excludeCredentials: passkeys.map(toDescriptor),
      attestationType: 'none',
      authenticatorSelection: {
        residentKey: 'preferred',
        userVerification: requireUserVerification ? 'required' : 'preferred',
      },
      timeout: TIMEOUT_MS,
    });
    res.set('Cache-Control', 'no-store').json(creation);
  };

  /** Adds the passkey of a response of `navigator.credentials.create`; null when it is refused. */
  async function register(req: Request, response: unknown): Promise<Passkey | null> {
    const userId = idOf(req);
    const begun = req.session.newPasskey;
    delete req.session.newPasskey; // Good once, whatever comes of it.
    if (begun?.userId !== userId || begun.expiresAt <= now()) return null;
    const verified = await tryTo(() =>
      verifyRegistrationResponse({
        response: response as RegistrationResponseJSON, // Checked by the function: what is none of these throws.
        expectedChallenge: begun.challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification,
      }),
    );
    if (verified instanceof Error || !verified.verified) {
      onRefused?.({ userId, reason: 'not-verified', detail: messageOf(verified) });
      return null;
    }
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    const createdAt = now();
    const name = (names.passkeyName ?? nameByDate)(req, new Date(createdAt));
    const passkey = {
      id,
      userHandle: begun.userHandle,
      publicKey,
      counter,
      transports,
      name,
      createdAt,
    };
    return (await book.add(userId, passkey)) ? passkey : null;
  }

  /** Names a passkey; false when the name is empty or the passkey is not the user's. */
  async function rename(req: Request, id: unknown, name: unknown): Promise<boolean> {
    const trimmed = typeof name === 'string' ? name.trim().slice(0, LONGEST_NAME) : '';
    return trimmed !== '' && typeof id === 'string' && book.rename(idOf(req), id, trimmed);
  }

  return {
    registrationOptions,
    register,
    rename,
    list: (req: Request) => book.list(idOf(req)),
    remove: async (req: Request, id: unknown) =>
      typeof id === 'string' && (await book.remove(idOf(req), id)),
  };
}

function nameByDate(_req: Request, now: Date): string {
  const date = now.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return `Passkey of ${date}`;
}

function idOf({ user }: Request): string {
  if (user === undefined) throw new Error('Passkeys are changed behind requireSecondFactor');
  return user.id;
}

function toDescriptor({ id, transports }: Passkey): { id: string; transports: string[] } {
  return { id, transports: [...transports] };
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

/**
 * The package throws where a response is refused. Neither call reads or writes anything elsewhere.
 */
async function tryTo<Result>(verify: () => Promise<Result>): Promise<Result | Error> {
  return verify().catch((error: unknown) =>
    error instanceof Error ? error : new Error('refused'),
  );
}

function messageOf(result: object): string {
  return result instanceof Error ? result.message : 'The signature is not right';
}
