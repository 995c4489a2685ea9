import type { ActName } from './feature-acts';
import type { Outcome } from './feature-outcome';
import type { FinishFault } from './real-features';

/**
 * The matrix: what an act leaves while one call of a real feature throws, refuses, is slow, or finds
 * the store failing.
 */
export type Rows = Partial<Record<ActName, Block>>;

export interface Block {
  /** What the act leaves if nothing goes wrong. */
  readonly fine: Outcome;
  readonly calls: Readonly<Record<string, Cells>>;
  /** How the step of the store that writes a success may end. */
  readonly finish?: Readonly<Record<FinishFault, Outcome>>;
}

/** Left out: another act has the cell, or `EXEMPT` says why there is none. */
export interface Cells {
  readonly throws?: Outcome;
  readonly refuses?: { readonly answer: unknown; readonly left: Outcome };
  readonly slow?: Outcome;
  /** One for each call of the store that the feature's call uses. Left out: it uses none. */
  readonly store?: Readonly<Record<string, Outcome>>;
}

export type Column = 'throws' | 'refuses' | 'slow';

/** Cells that cannot be. */
export const EXEMPT: readonly (readonly [RegExp, readonly Column[], string])[] = [
  [/\.members$/, ['throws', 'refuses', 'slow'], 'called once, while createSmsOtp runs'],
  [/\.delivery\.gateway\./, ['throws', 'refuses', 'slow'], 'gateways have suites of their own'],
  [/\.warnOfError$/, ['throws', 'refuses', 'slow'], 'emits a warning, which never throws'],
  [
    /\.(beforeMessage|read|isChecked|written|lost|refuse|counted|after)$/,
    ['slow'],
    'the core does not wait for it',
  ],
  [/\.written$/, ['throws'], 'emits an event, which never throws'],
  [/\.lost$/, ['throws'], 'removes an entry of a map'],
  [/\.counted$/, ['throws'], 'emits an event, which never throws'],
  [
    /\.(written|done|undo|lost|after|counted|refuse|forget|exportUser|endAll|listBrowserIds)$/,
    ['refuses'],
    'it has no answer that refuses',
  ],
  [/\.(reserve|createOptions|end)$/, ['refuses'], 'it has no answer that refuses'],
];

/** The features that are asked what a success changes. */
export const ON_SUCCESS = [
  'policies.onSuccess',
  'logins.onSuccess',
  'trusted-devices.onSuccess',
  'known-browsers.onSuccess',
] as const;

/** Answers that refuse. */
export const LOGIN_ENDED = { reason: 'login-ended' };
export const DENIED = { refusal: { reason: 'denied' }, by: 'matrix' };
export const WRONG = { kind: 'wrong' };

/** An outcome in which what is left out is none. */
export function leaves(
  outcome: Pick<Outcome, 'answer' | 'pending' | 'session'> & Partial<Outcome>,
): Outcome {
  return { ...NOTHING, ...outcome };
}

const NOTHING = {
  records: [0, 0, 0],
  guesses: [0, 0, 0, 0],
  sends: [0, 0, 0],
  told: [],
  warned: [],
} as const;

/** The same cells for several calls. */
export function each(calls: readonly string[], cells: Cells): Record<string, Cells> {
  return Object.fromEntries(calls.map((call) => [call, cells]));
}

/**
 * A store that has failed is 503, one event and one warning.
 * @param told The call of the store that failed last, or all that was told.
 */
export function storeFails(left: Outcome, told: string | readonly string[]): Outcome {
  return { ...left, answer: '503 ERR_STORE', told: toTold(left, told), warned: WARNED };
}

/** The same for a call of an operator. */
export function storeRejects(left: Outcome, told: string | readonly string[]): Outcome {
  return { ...left, answer: 'rejects: ERR_STORE', told: toTold(left, told), warned: WARNED };
}

const WARNED = ['SMS_OTP_STORE_FAILING'];

function toTold({ told }: Outcome, more: string | readonly string[]): readonly string[] {
  return typeof more === 'string' ? [...told, `store-failing ${more}`] : more;
}
