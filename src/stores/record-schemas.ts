import { z } from 'zod';

// Loads zod: at run time `record-sets.ts` and `pending-logins.ts` alone import this module. All
// others import the types from `store.ts`.

const text = z.string().min(1);
/** Records are versioned; a store refuses an unknown version. */
const version = z.literal(1);
/** SHA-256 in base64url. */
const tokenHash = z.string().regex(/^[\w-]{43}$/);

const purpose = z.enum(['login', 'step-up', 'transaction', 'enroll']);

/** What a pending login is for. A code of one purpose is never valid for another. */
export type Purpose = z.output<typeof purpose>;

const transaction = z.object({ amount: text, payee: text });

/** What a transaction's code approves, as the text message and the page show it. */
export type Transaction = Readonly<z.output<typeof transaction>>;

export const pendingLoginSchema = z
  .object({
    version,
    /** The session holds the same. */
    pendingId: text,
    /**
     * The user's id as a string; `userIdType` is its type, so that `loadUser` gets what `getUserId`
     * returned.
     */
    userId: text,
    userIdType: z.enum(['string', 'number', 'bigint']),
    purpose,
    /** Which of the user's browsers it belongs to. */
    bucket: text,
    /** Milliseconds since 1970: when it began, and when it ends, whatever is resent. */
    startedAt: z.number(),
    pendingUntil: z.number(),
    /** Purpose `transaction` only: the code approves this and nothing else. */
    transaction: transaction.optional(),
    /** Purpose `enroll` only: the confirmed number that the new one replaces, E.164 with plus. */
    replaces: text.optional(),
  })
  .refine(({ purpose, transaction }) => (transaction !== undefined) === (purpose === 'transaction'))
  .refine(({ purpose, replaces }) => replaces === undefined || purpose === 'enroll');

/**
 * A login, step-up, transaction or enrollment between its beginning and its end. Texts are attached
 * to it.
 */
export type PendingLogin = Readonly<z.output<typeof pendingLoginSchema>>;

export const sentOtpSchema = z.object({
  version,
  otpId: text,
  /** The browser it is counted for: a known one whose attempts are used up is one of the others. */
  bucket: text,
  /** E.164 with plus. */
  mobile: text,
  /** The key by which counters know the number. */
  numberKey: text,
  /** True when this user had not entered a code that was texted to this number before. */
  isNewNumber: z.boolean(),
  /** Milliseconds since 1970. */
  sentAt: z.number(),
  expiresAt: z.number(),
});

/** A text of a pending login, with its OTP id. Only the gateway knows the code. */
export type SentOtp = Readonly<z.output<typeof sentOtpSchema>>;

export const deviceSchema = z.object({
  version,
  deviceId: text,
  userId: text,
  /** SHA-256 of the token, and of the one before it (null: none), in base64url. */
  tokenHash,
  previousHash: tokenHash.nullable(),
  /** A keyed digest of what must not have changed since: password, numbers, recovery codes. */
  binding: text,
  /** What the user may recognize it by. */
  label: z.string(),
  /** Milliseconds since 1970. `expiresAt` never moves. */
  createdAt: z.number(),
  lastUsedAt: z.number(),
  expiresAt: z.number(),
});

/** A device on which its user needs no code. Only the device knows its token. */
export type TrustedDevice = Readonly<z.output<typeof deviceSchema>>;

export const browserSchema = z.object({
  version,
  browserId: text,
  userId: text,
  /** Seconds since 1970, as in the browser's cookie: its last success, written once a day. */
  knownAt: z.int().min(0),
  expiresAt: z.number(),
});

/**
 * A browser in which a user has passed the second factor. Not trusted: a code is still asked for.
 */
export type KnownBrowser = Readonly<z.output<typeof browserSchema>>;

export const loginSchema = z.object({
  version,
  loginId: text,
  userId: text,
  /** How the second factor was passed, 1 to 64 characters; null when none was required. */
  method: text.max(64).nullable(),
  /** What the user may recognize it by, at most 256 characters. */
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
  /** Another one with every change. */
  tag: text,
  /** Keyed digests of the codes that are left; none: all were spent. */
  hashes: z.array(text.max(256)).max(100),
  /**
   * Keyed digest of the form that asked for them, which gets no others. `at` and `seed`: for a
   * minute the form shows the same codes again, which are derived from its name and the seed.
   * `isDone`: all that new codes end has ended.
   */
  madeFor: z
    .object({ form: text.max(256), seed: text.max(64), at: z.number(), isDone: z.boolean() })
    .optional(),
});

/**
 * The recovery codes of a user, from the first ones until `forgetUser`, or `unlockUser` with
 * `enable`.
 */
export type RecoveryCodeSet = Readonly<z.output<typeof recoveryCodesSchema>>;

export const noteSchema = z.object({
  version,
  key: text,
  text: z.string().max(4_096),
  expiresAt: z.number(),
});

/** What a policy notes, under a key of its own. */
export type Note = Readonly<z.output<typeof noteSchema>>;

export const challengeSchema = z.object({
  version,
  pendingId: text,
  /** The name of the factor that is to answer it. */
  factor: text,
  challenge: text,
  expiresAt: z.number(),
});

/** A challenge of ours that a factor is to answer, good once. */
export type OpenChallenge = Readonly<z.output<typeof challengeSchema>>;

export const textedCodeSchema = z.object({
  version,
  otpId: text,
  /** A keyed digest of id, number and code, in base64url. */
  digest: tokenHash,
  /** The comparisons that were made, or claimed. */
  comparisons: z.int().min(0),
  expiresAt: z.number(),
});

/** A code that `smsGateway` has made. Only its text holds the code. */
export type TextedCode = Readonly<z.output<typeof textedCodeSchema>>;
