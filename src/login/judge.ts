import type { SmsOtpError } from '../errors';
import type { Challenge } from '../stores/store';
import type { Method } from './outcome';

/** What was made of a code. `lost`: the answer did not arrive whole, so the code may have been judged. */
export type Judgement =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/** A code with whom it is said to be of. */
export interface Claimed {
  readonly challenge: Challenge;
  readonly user: Express.User;
  readonly code: string;
  readonly address: string | undefined;
}

/** A place before the judge, taken before anything is counted. */
export interface Hearing {
  /** @throws {SmsOtpError} when the code was surely not judged: the challenge lives on. */
  readonly judge: (claimed: Claimed) => Promise<Judgement>;
  readonly close: () => void;
}

/** Who knows a right code from a wrong one. */
export interface Judge {
  readonly method: Method;
  /** The code in its plain form, or null for what cannot be one. */
  readonly readCode: (input: unknown) => string | null;
  /** @throws {SmsOtpError} when no code can be judged now: nothing is counted. */
  readonly open: () => Promise<Hearing>;
  /** Whether what the challenge was made for is still so. */
  readonly isStillValid: (user: Express.User, challenge: Challenge) => Promise<boolean>;
}
