import { StoreError } from '../../errors';
import type { KeyedDigest } from '../../keys';
import { RECOVERY_CODES_ID } from '../../stores/check-values';
import type { RecordSet } from '../../stores/record-sets';
import type { RecordPut, RecoveryCodeSet } from '../../stores/store';

/** The option `recoveryCodes`. */
export interface RecoveryCodesOption {
  /** How many codes a user gets at once: 5 to 20. Default: 10. */
  readonly count?: number | undefined;
}

/** The recovery codes of all users. Only digests are stored, and each includes the user's id. */
export type RecoveryCodes = Readonly<ReturnType<typeof createRecoveryCodes>>;

/** A code that is used up once the record is written. `left`: how many are left then. */
export interface UsedCode {
  readonly put: RecordPut;
  readonly left: number;
}

interface RecoveryCodesOptions {
  readonly sets: RecordSet<RecoveryCodeSet>;
  /** One digest per secret: the first creates hashes, all of them are accepted. */
  readonly digests: readonly KeyedDigest[];
  /** How many codes a user gets at once. */
  readonly count: number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => number;
}

/** Codes that are not written yet, and the record to write for them. */
export interface PreparedCodes {
  /** The codes in groups, as people read them: `ABCD-EFGH-JKMN-PQRS-TVWX-YZ01`. */
  readonly codes: readonly string[];
  readonly set: RecoveryCodeSet;
}

/** `not-first`: the user has codes, or had some. `made-before`: the same form has made them. */
export type WrittenCodes = 'written' | 'not-first' | 'made-before';

/** The most tries to write when other requests change the same user's codes. */
const MOST_TRIES = 20;

/**
 * Milliseconds for which a form shows its codes again. After two submissions a browser shows only
 * the answer to the last one, even if the first one made the codes.
 */
const SHOWN_AGAIN_MS = 60_000;

/**
 * Creates the recovery codes of all users. If the store fails, calls reject with a `StoreError`.
 */
export function createRecoveryCodes(book: RecoveryCodesOptions) {
  const { sets } = book;

  return {
    /**
     * Makes codes that are not written yet.
     * @param form The name of the form that asks for them. Undefined: every call makes other codes.
     */
    prepare: (userId: string, form: string | undefined) => prepare(book, userId, form),
    /**
     * Returns the codes that a form has made, to show them again. Null: they were made more than a
     * minute ago, or one has been used.
     */
    showAgain: (set: RecoveryCodeSet, form: string) => showAgain(book, set, form),
    /**
     * Replaces all earlier codes.
     * @param isFirst Refuses if the user has codes, or had some.
     */
    async write(
      { set }: PreparedCodes,
      isFirst: boolean,
      form: string | undefined,
    ): Promise<WrittenCodes> {
      if (form !== undefined)
        return writeOnce(book, set, isFirst, await toForms(book, set.userId, form));
      const { isPut } = await sets.put(set, { ifNone: isFirst });
      return isPut ? 'written' : 'not-first';
    },
    /** Returns the codes that this form has made, if they are still the user's; otherwise null. */
    async findMadeFor(userId: string, form: string): Promise<RecoveryCodeSet | null> {
      const set = await find(book, userId);
      return isMadeFor(set, await toForms(book, userId, form)) ? set : null;
    },
    /**
     * Notes for the codes of a form that everything else has ended (`done`), or lets the form make
     * codes again (`failed`). Never rejects.
     */
    async settle(set: RecoveryCodeSet, outcome: 'done' | 'failed'): Promise<void> {
      if (set.madeFor === undefined) return;
      const madeFor = outcome === 'done' ? { ...set.madeFor, isDone: true } : undefined;
      // Ignore the error: the store reports it. The form then makes no more codes, and its next
      // call completes the ending.
      await sets.swap(set, toSet(book, set.userId, set.hashes, madeFor)).catch(() => false);
    },
    /**
     * Prepares the use of a code. Null: it is none of the user's codes.
     * @param code In its plain form.
     */
    prepareUse: (userId: string, code: string) => prepareUse(book, userId, code),
    /** Returns how many codes are left; null: the user has none, and has spent none. */
    async count(userId: string): Promise<number | null> {
      return (await find(book, userId))?.hashes.length ?? null;
    },
    /** Forgets the codes, and that codes were spent. */
    async remove(userId: string): Promise<void> {
      await sets.remove(userId, RECOVERY_CODES_ID);
    },
  };
}

function find({ sets }: RecoveryCodesOptions, userId: string): Promise<RecoveryCodeSet | null> {
  return sets.find(userId, RECOVERY_CODES_ID);
}

/** Returns a code's digest by each secret. */
function toHashes(
  { digests }: RecoveryCodesOptions,
  userId: string,
  code: string,
): Promise<readonly string[]> {
  return Promise.all(digests.map((digest) => digest('recovery-code', userId, code)));
}

/**
 * Returns the digests of a form's name. The codes can be derived from that name, so only its
 * digests are stored.
 */
function toForms(
  { digests }: RecoveryCodesOptions,
  userId: string,
  form: string,
): Promise<readonly string[]> {
  return Promise.all(digests.map((digest) => digest('recovery-codes-form', userId, form)));
}

async function prepare(
  book: RecoveryCodesOptions,
  userId: string,
  form: string | undefined,
): Promise<PreparedCodes> {
  const { digests, count, randomBytes } = book;
  const seed = toText(randomBytes(SEED_BYTES));
  const [newest] = digests;
  const plain =
    form === undefined || newest === undefined
      ? Array.from({ length: count }, () => toCode(randomBytes(CODE_LENGTH)))
      : await deriveCodes(book, newest, userId, form, seed);
  const hashes = await Promise.all(
    plain.map(async (code) => (await toHashes(book, userId, code)).slice(0, 1)),
  );

  const [ofForm] = form === undefined ? [] : await toForms(book, userId, form);
  const madeFor =
    ofForm === undefined ? undefined : { form: ofForm, seed, at: book.now(), isDone: false };
  return { codes: plain.map(show), set: toSet(book, userId, hashes.flat(), madeFor) };
}

/**
 * Returns the codes of a form by one secret. Only the page has the name of the form: without it,
 * not even the store and the secret together are enough to find the codes.
 */
function deriveCodes(
  { count }: RecoveryCodesOptions,
  digest: KeyedDigest,
  userId: string,
  form: string,
  seed: string,
): Promise<readonly string[]> {
  const derive = async (index: number): Promise<string> => {
    const bytes = await digest('recovery-code-of-form', userId, form, seed, String(index));
    return toCode(Buffer.from(bytes, 'base64url').subarray(0, CODE_LENGTH));
  };
  return Promise.all(Array.from({ length: count }, (_none, index) => derive(index)));
}

async function showAgain(
  book: RecoveryCodesOptions,
  { userId, hashes, madeFor }: RecoveryCodeSet,
  form: string,
): Promise<readonly string[] | null> {
  if (madeFor === undefined || book.now() - madeFor.at > SHOWN_AGAIN_MS) return null;
  // After a rotation of the secret, codes may have been derived with an older one.
  for (const digest of book.digests) {
    const plain = await deriveCodes(book, digest, userId, form, madeFor.seed);
    const made = await Promise.all(plain.map((code) => toHashes(book, userId, code)));
    const isSame = made.every((ofCode, at) => ofCode.includes(hashes[at] ?? ''));
    if (isSame && plain.length === hashes.length) return plain.map(show);
  }
  return null;
}

/**
 * Writes codes for a form. Of several calls with the same form, exactly one writes, even across
 * processes.
 */
async function writeOnce(
  book: RecoveryCodesOptions,
  set: RecoveryCodeSet,
  isFirst: boolean,
  forms: readonly string[],
): Promise<WrittenCodes> {
  const { sets } = book;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await find(book, set.userId);
    if (isMadeFor(seen, forms)) return 'made-before';
    if (seen !== null && isFirst) return 'not-first';
    const isWritten =
      seen === null ? (await sets.put(set, { ifNone: true })).isPut : await sets.swap(seen, set);
    if (isWritten) return 'written';
  }
  throw changedTooOften();
}

async function prepareUse(
  book: RecoveryCodesOptions,
  userId: string,
  code: string,
): Promise<UsedCode | null> {
  const used = await toHashes(book, userId, code);
  const set = await find(book, userId);
  const left = set?.hashes.filter((hash) => !used.includes(hash)) ?? [];
  if (set === null || left.length === set.hashes.length) return null;

  const next = toSet(book, userId, left, set.madeFor);
  return { put: book.sets.toPut(next, { ifTag: set.tag }), left: left.length };
}

function toSet(
  { randomBytes }: RecoveryCodesOptions,
  userId: string,
  hashes: readonly string[],
  madeFor: RecoveryCodeSet['madeFor'],
): RecoveryCodeSet {
  const tag = toText(randomBytes(TAG_BYTES));
  return { version: 1, userId, tag, hashes: [...hashes], madeFor };
}

function isMadeFor(set: RecoveryCodeSet | null, forms: readonly string[]): boolean {
  return set?.madeFor !== undefined && forms.includes(set.madeFor.form);
}

function changedTooOften(): StoreError {
  return new StoreError('recovery-codes: changed again and again');
}

/** The size of the tag in which two sets of a user always differ. */
const TAG_BYTES = 16;
const SEED_BYTES = 16;

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** Returns a code in groups, as people read it. */
function show(code: string): string {
  return code.replace(/.{4}(?=.)/g, '$&-');
}

/**
 * Digits and capital letters without I, L, O and U, which look like others: 32 characters, 5 bits
 * each.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The code has 120 bits, so it cannot be guessed, and no lock on the user is needed. NIST SP
 * 800-63B 3.1.2.2.
 */
const CODE_LENGTH = 24;
const CODE = /^[0-9A-HJKMNP-TV-Z]{24}$/;

/** Returns a code in its plain form: one character per byte. */
function toCode(bytes: Uint8Array): string {
  // 256 is a multiple of 32, so each character is equally likely.
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Longer input is not a code, even with what pasting may add. */
const MAX_INPUT_LENGTH = 128;
const SEPARATORS = /[\p{Z}\p{Cf}\p{Pd}\s]/gu;

/**
 * Returns the plain form of a code as typed or pasted, or null. Ignores spaces, dashes and case.
 * Reads the letter O as a zero, and I and L as a one.
 */
export function readRecoveryCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  const letters = input.normalize('NFKC').replace(SEPARATORS, '').toUpperCase();
  const code = letters.replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(code) ? code : null;
}
