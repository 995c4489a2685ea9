import { z } from 'zod';

// This module loads zod. Only `pending-logins.ts` and `record-sets.ts` import it at run time. All
// others import the types from `store.ts`.

const text = z.string().min(1);
/** The version of a record. A store refuses an unknown version. */
const version = z.literal(1);
/** SHA-256 in base64url. */
const tokenHash = z.string().regex(/^[\w-]{43}$/);

const purpose = z.enum(['login', 'step-up', 'transaction', 'enroll']);

/** The purpose of a pending login. A code for one purpose is never valid for another. */
export type Purpose = z.output<typeof purpose>;

const transaction = z.object({ amount: text, payee: text });

/** What the code of a transaction approves, as shown in the message and on the page. */
export type Transaction = Readonly<z.output<typeof transaction>>;

export const pendingLoginSchema = z
  .object({
    version,
    /** The session contains the same id. */
    pendingId: text,
    /**
     * The user's id as a string. `userIdType` is its original type, so that `loadUser` gets what
     * `getUserId` returned.
     */
    userId: text,
    userIdType: z.enum(['string', 'number', 'bigint']),
    purpose,
    /** The user's browser to which the login belongs. */
    bucket: text,
    /** The beginning and the end in milliseconds since 1970. A resend does not move the end. */
    startedAt: z.number(),
    pendingUntil: z.number(),
    /** Only for the purpose `transaction`: what the code approves. */
    transaction: transaction.optional(),
    /**
     * Only for the purpose `enroll`: the confirmed number that the new one replaces, E.164 with
     * plus.
     */
    replaces: text.optional(),
  })
  .refine(({ purpose, transaction }) => (transaction !== undefined) === (purpose === 'transaction'))
  .refine(({ purpose, replaces }) => replaces === undefined || purpose === 'enroll');

/**
 * A login, step-up, transaction or enrollment between its beginning and its end. OTPs are attached
 * to it.
 */
export type PendingLogin = Readonly<z.output<typeof pendingLoginSchema>>;

export const sentOtpSchema = z.object({
  version,
  otpId: text,
  /**
   * The bucket for which it is counted. A known browser whose attempts are used up counts as one of
   * the others.
   */
  bucket: text,
  /** The factor that sent it. Left out: it went by text message. */
  factor: text.optional(),
  /** A number in E.164 with plus, or another address of the factor. */
  to: text,
  /** The key under which the recipient is counted. */
  numberKey: text,
  /** True if this user had not entered a code that was sent to this number before. */
  isNewNumber: z.boolean(),
  /** Milliseconds since 1970. */
  sentAt: z.number(),
  expiresAt: z.number(),
});

/** An OTP of a pending login, with its OTP id. Only the gateway knows the code. */
export type SentOtp = Readonly<z.output<typeof sentOtpSchema>>;

export const deviceSchema = z.object({
  version,
  deviceId: text,
  userId: text,
  /** SHA-256 of the token and of the previous token (null: none), in base64url. */
  tokenHash,
  previousHash: tokenHash.nullable(),
  /**
   * A keyed digest of facts that must not have changed since: password, numbers, recovery codes.
   */
  binding: text,
  /** A name by which the user may recognize the device. */
  label: z.string(),
  /** Milliseconds since 1970. `expiresAt` never moves. */
  createdAt: z.number(),
  lastUsedAt: z.number(),
  expiresAt: z.number(),
});

/** A device on which its user needs no code. Only the device has the token. */
export type TrustedDevice = Readonly<z.output<typeof deviceSchema>>;

export const browserSchema = z.object({
  version,
  browserId: text,
  userId: text,
  /** Its last success in seconds since 1970, as in the browser's cookie. Written once a day. */
  knownAt: z.int().min(0),
  expiresAt: z.number(),
});

/**
 * A browser in which a user has passed the second factor. It is not trusted: the code is still
 * required.
 */
export type KnownBrowser = Readonly<z.output<typeof browserSchema>>;

export const loginSchema = z.object({
  version,
  loginId: text,
  userId: text,
  /** The factor that was passed, 1 to 64 characters. Null if none was required. */
  method: text.max(64).nullable(),
  /** A name by which the user may recognize the login, at most 256 characters. */
  label: z.string().max(256),
  /** Milliseconds since 1970. `lastSeenAt` is written once an hour. */
  startedAt: z.number(),
  lastSeenAt: z.number(),
  expiresAt: z.number(),
});

/** A login of a user: one session in which the user is logged in. */
export type Login = Readonly<z.output<typeof loginSchema>>;

export const recoveryCodesSchema = z.object({
  version,
  userId: text,
  /** Changes with every change of the record. */
  tag: text,
  /** Keyed digests of the unused codes. Empty: all codes were used. */
  hashes: z.array(text.max(256)).max(100),
  /**
   * Keyed digest of the form that requested the codes. Sending the form again makes no other codes:
   * for a minute it shows the same codes, which are derived from its name and `seed`. `isDone`:
   * everything that new codes end has ended.
   */
  madeFor: z
    .object({ form: text.max(256), seed: text.max(64), at: z.number(), isDone: z.boolean() })
    .optional(),
});

/**
 * The recovery codes of a user, from the first set until `forgetUser`, or `unlockUser` with
 * `enable`.
 */
export type RecoveryCodeSet = Readonly<z.output<typeof recoveryCodesSchema>>;

export const noteSchema = z.object({
  version,
  key: text,
  text: z.string().max(4_096),
  expiresAt: z.number(),
});

/** A note of a policy under its own key. */
export type Note = Readonly<z.output<typeof noteSchema>>;

export const challengeSchema = z.object({
  version,
  pendingId: text,
  /** The name of the factor that the challenge is for. */
  factor: text,
  challenge: text,
  expiresAt: z.number(),
});

/** A challenge of ours for a factor. Valid once. */
export type OpenChallenge = Readonly<z.output<typeof challengeSchema>>;

export const textedCodeSchema = z.object({
  version,
  otpId: text,
  /** A keyed digest of id, number and code, in base64url. */
  digest: tokenHash,
  /** How many comparisons were made or claimed. */
  comparisons: z.int().min(0),
  expiresAt: z.number(),
});

/** A code that `smsGateway` has made. The code itself is only in the message. */
export type TextedCode = Readonly<z.output<typeof textedCodeSchema>>;
