import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { OtpCall, OtpGateway, OtpText, TextedOtp } from 'passport-sms-otp';

/**
 * How a call fails. `refused`: the provider says that it has done nothing. `lost-before` and
 * `lost-after`: no answer arrives, and the provider has not acted, or has acted. `nonsense`: it
 * acts, and its answer cannot be understood. `silent`: it acts and never answers.
 */
export type GatewayFailure =
  | 'refused'
  | 'lost-before'
  | 'lost-after'
  | 'nonsense'
  | 'other-shape'
  | 'silent';

/** A message that a phone has received. */
export interface ReceivedText {
  readonly pin: string;
  /** The wording of the message. Required unless `writesMessages` is false. */
  readonly text?: string | undefined;
}

/** A gateway with a provider that a check can inspect and make fail. */
export interface GatewayUnderTest {
  readonly gateway: OtpGateway;
  /** Returns another gateway of the same account, as in another process. */
  readonly another: () => OtpGateway | Promise<OtpGateway>;
  /** Returns a gateway with the shortest possible deadline. Used for `silent`. */
  readonly hasty: () => OtpGateway | Promise<OtpGateway>;
  /** Returns the messages to a number, the oldest first. E.164 with plus. */
  readonly textsOf: (to: string) => readonly ReceivedText[] | Promise<readonly ReceivedText[]>;
  /** Makes the next call of this name fail, once, by any gateway. */
  readonly failNext: (call: OtpCall, failure: GatewayFailure) => Promise<void> | void;
  /** Lets time pass for the gateway and the provider. */
  readonly passSeconds: (seconds: number) => Promise<void> | void;
  /** Strings that no error and no event may show: passwords, keys, tokens. */
  readonly secrets: readonly string[];
  /** Closes everything. */
  readonly close: () => Promise<void> | void;
}

/** Creates a gateway with its provider. Every check creates its own and closes it. */
export type MakeGateway = () => GatewayUnderTest | Promise<GatewayUnderTest>;

export interface GatewayCheck {
  readonly title: string;
  /** Rejects, usually with an `AssertionError`, if the check fails. */
  readonly run: (makeGateway: MakeGateway) => Promise<void>;
}

/** Numbers that belong to no one. */
export const [ALICE, BOB] = ['+12025550123', '+12025550124'] as const;

/** The validity of every code in the checks. */
export const VALIDITY_SECONDS = 300;

/** A code that a phone has received. */
export interface Texted extends TextedOtp {
  readonly to: string;
  readonly pin: string;
  readonly text: string | undefined;
}

/** The parts that a check works with. */
export interface CheckContext extends GatewayUnderTest {
  /** Sends a code and asserts that it has arrived. */
  readonly send: (change?: Partial<OtpText>, by?: OtpGateway) => Promise<Texted>;
  /** Requests a message that fails, and returns the error. */
  readonly failToSend: (by?: OtpGateway) => Promise<GatewayFault>;
  /** Returns whether the gateway answers `right`. False if it throws. */
  readonly isRight: (typed: Typed, by?: OtpGateway) => Promise<boolean>;
  /** Checks a code in a call that fails, and returns the error. */
  readonly failToJudge: (typed: Typed, by?: OtpGateway) => Promise<GatewayFault>;
  readonly countTexts: (to?: string) => Promise<number>;
  /**
   * Returns a number that has had no message yet, because a provider may refuse a second message to
   * one.
   */
  readonly nextNumber: () => string;
}

type Typed = Pick<Texted, 'id' | 'to' | 'pin'>;

/** The fields of an error that say what happened. */
export interface GatewayFault {
  readonly error: unknown;
  readonly code: unknown;
  readonly status: unknown;
  readonly mayHaveArrived: unknown;
}

/** Returns a function that creates checks of one call. Their titles begin with its name. */
export function checksOf(part: string) {
  return (title: string, body: (context: CheckContext) => Promise<void>): GatewayCheck => ({
    title: `${part}: ${title}`,
    run: async (makeGateway) => {
      const made = await makeGateway();
      try {
        await body(createContext(made));
      } finally {
        await made.close();
      }
    },
  });
}

export function textTo(to: string, change: Partial<OtpText> = {}): OtpText {
  const validitySeconds = VALIDITY_SECONDS;
  return { to, message: 'Code [PIN]', sender: undefined, validitySeconds, ...change };
}

function createContext(made: GatewayUnderTest): CheckContext {
  const { gateway } = made;
  const textsOf = async (to: string): Promise<readonly ReceivedText[]> => made.textsOf(to);
  const countTexts = async (to: string = ALICE): Promise<number> => (await textsOf(to)).length;

  let numbers = 1_000;
  const nextNumber = (): string => {
    numbers += 1;
    return `+1202555${numbers}`;
  };

  return {
    gateway,
    nextNumber,
    secrets: made.secrets,
    another: () => made.another(),
    hasty: () => made.hasty(),
    textsOf,
    failNext: (call, failure) => made.failNext(call, failure),
    passSeconds: (seconds) => made.passSeconds(seconds),
    close: () => made.close(),
    countTexts,
    async send({ to = ALICE, ...change } = {}, by = gateway) {
      const before = await countTexts(to);
      const texted = await by.generate(textTo(to, change));
      const texts = await textsOf(to);
      const found = `after one message, textsOf('${to}') finds ${texts.length - before} more`;
      assert.equal(texts.length, before + 1, found);
      const { pin, text } = texts.at(-1) ?? { pin: '' };
      return { ...texted, to, pin, text };
    },
    failToSend: async (by = gateway) => faultOf(by.generate(textTo(ALICE))),
    isRight: async (typed, by = gateway) => {
      const { id, to, pin } = typed;
      return judge(by, { id, to, pin });
    },
    failToJudge: async ({ id, to, pin }, by = gateway) => faultOf(by.validate({ id, to, pin })),
  };
}

/** Checks a code. A synchronous throw is not `right` either. */
async function judge(by: OtpGateway, typed: Typed): Promise<boolean> {
  try {
    // Check the value itself: the types of a faulty gateway mean nothing.
    const verdict: unknown = await by.validate(typed);
    return verdict === 'right';
  } catch {
    return false;
  }
}

async function faultOf(call: Promise<unknown>): Promise<GatewayFault> {
  try {
    const answer = await call;
    throw new assert.AssertionError({ message: `it did not fail: ${inspect(answer)}` });
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    // Object() makes the fields of any value readable.
    const { code, status, mayHaveArrived } = Object(error) as Omit<GatewayFault, 'error'>;
    return { error, code, status, mayHaveArrived };
  }
}

/** Returns another code of the same length. */
export function otherPin(pin: string, step = 1): string {
  const changed = (Number(pin.slice(-1)) + step) % 10;
  return pin.slice(0, -1) + String(changed);
}

/** Makes this many calls at once and returns their results. */
export function atOnce<Result>(
  calls: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
}

/** Asserts that exactly one of many calls returned true. */
export function assertOne(answers: readonly boolean[]): void {
  assert.equal(answers.filter(Boolean).length, 1);
}
