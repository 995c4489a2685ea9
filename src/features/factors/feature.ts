import type { RequestHandler } from 'express';
import { admitsOtherFactors } from '../../core/accepted-factors';
import type { Core } from '../../core/context';
import type { CheckResult, SecondFactor, Feature } from '../../core/feature';
import { countsAsAddress } from '../../core/phones';
import { isObject } from '../../errors';
import type { MiddlewareContext } from '../../middleware/context';
import { createOptionsWith } from '../../middleware/options-with';
import { parseJson } from '../../stores/check-values';
import { createDeliveredFactor, isDelivered, listAddresses } from './delivered';
import type { ChallengeFactor, CodeFactor, Factor as AppFactor } from './factors';

/** Added by the option `factors`. */
export interface FactorsPart {
  /**
   * Answers with the options for a challenge of a factor, as JSON. `verifyWith` verifies the
   * response, once and within five minutes.
   * @throws {TypeError} if `factors` has no factor of that name that answers challenges.
   */
  readonly optionsWith: (factor: string) => RequestHandler;
}

/**
 * Creates the feature for the app's own factors.
 * @param codeField The form field that holds the code of a factor without its own `field`.
 */
export function createAppFactors(
  core: Core,
  factors: readonly AppFactor[],
  codeField: string,
): Feature<MiddlewareContext> {
  return {
    name: 'factors',
    factors: factors.map((factor) => createFactor(core, factor, codeField)),
    async offers(user, userId) {
      const entered = factors.filter((factor) => !isDelivered(factor));
      const asked = entered.map(async (factor) => {
        const isOffered = await hasFactor(core, factor, user, userId).catch(() => false);
        return isOffered ? [factor.name] : [];
      });
      return (await Promise.all(asked)).flat();
    },
    async has(user, userId) {
      const asked = factors.map((factor) => hasFactor(core, factor, user, userId));
      return (await Promise.all(asked)).includes(true);
    },
    members: (edge): FactorsPart => ({ optionsWith: (name) => optionsWith(edge, name) }),
  };
}

function createFactor(core: Core, factor: AppFactor, codeField: string): SecondFactor {
  if (isDelivered(factor)) return createDeliveredFactor(core, factor, codeField);
  return 'check' in factor
    ? createTypedFactor(factor, codeField)
    : createAnsweringFactor(core, factor, codeField);
}

/** Returns whether a user has a factor. If the app throws, emits `factor-failing` and rejects. */
async function hasFactor(
  core: Core,
  factor: AppFactor,
  user: Express.User,
  userId: string,
): Promise<boolean> {
  try {
    if (isDelivered(factor)) return countsAsAddress(await listAddresses(core, factor, user));
    if (factor.isAvailable === undefined) return true;
    const isAvailable: unknown = await factor.isAvailable(user);
    return isAvailable === true;
  } catch (error) {
    core.emit({ type: 'factor-failing', userId, factor: factor.name });
    throw error;
  }
}

function optionsWith(edge: MiddlewareContext, name: string): RequestHandler {
  const { factor, createOptions } = edge.factors.get(name) ?? {};
  if (factor?.delivery !== undefined)
    throw new TypeError('optionsWith: that factor sends its codes, which verify() verifies');
  if (createOptions === undefined)
    throw new TypeError('optionsWith: factors has none of that name with createOptions');
  return createOptionsWith(edge, createOptions);
}

/** The most characters of a code. */
const MAX_FACTOR_INPUT_LENGTH = 128;

/**
 * Creates a factor whose codes are checked by the app's callback. Its codes are not accepted for a
 * transaction, whose message shows what is approved, nor for an enrollment, whose message proves
 * the number.
 */
function createTypedFactor(factor: CodeFactor, codeField: string): SecondFactor {
  return {
    ...describeFactor(factor, codeField),
    counting: 'guess',
    read: (input) => {
      if (typeof input !== 'string' || input.length > MAX_FACTOR_INPUT_LENGTH) return null;
      const code = input.trim();
      return code === '' ? null : code;
    },
    check: async ({ user, pending: { userId }, code, address }) => {
      return toVerdict(await factor.check({ user, userId, code, address }));
    },
  };
}

/** Converts the answer of an untyped callback. Only `true` means that the code is right. */
function toVerdict(isRight: unknown): CheckResult {
  return { kind: isRight === true ? 'right' : 'wrong' };
}

function describeFactor({ name, field, amr }: CodeFactor | ChallengeFactor, codeField: string) {
  const purposes = ['login', 'step-up'] as const;
  return {
    method: name,
    field: field ?? codeField,
    amr: amr ?? name,
    purposes,
  };
}

/** The most characters of a response. A passkey's response has about 1,000. */
const MAX_RESPONSE_LENGTH = 16_384;

/**
 * Creates a factor whose responses to our challenges are checked by the app's callback. A response
 * arrives as JSON, or as a string of JSON in a form field.
 */
function createAnsweringFactor(
  { store }: Pick<Core, 'store'>,
  factor: ChallengeFactor,
  codeField: string,
): SecondFactor {
  return {
    ...describeFactor(factor, codeField),
    counting: 'answer',
    read: (input) => {
      const text = typeof input === 'string' ? input : toJson(input);
      return text.length <= MAX_RESPONSE_LENGTH && isObject(parseJson(text)) ? text : null;
    },
    challenge: {
      createOptions: (challenged) => factor.createOptions(challenged),
      take: async (pendingId) => {
        const open = await store.challenges.find(pendingId, factor.name);
        if (open === null) return { reason: 'expired' };
        // If it is already taken, another request is answering this challenge.
        if (!(await store.challenges.take(open))) return { reason: 'wrong-code' };
        return { challenge: open.challenge };
      },
    },
    check: async ({
      user,
      pending: { userId, purpose },
      code,
      factorChallenge: challenge = '',
      address,
    }) => {
      const response = parseJson(code);
      if (!isObject(response) || !admitsOtherFactors(purpose)) return toVerdict(false);
      const answered = { user, userId, purpose, challenge, response, address };
      return toVerdict(await factor.checkResponse(answered));
    },
  };
}

/** Returns a parsed body as a JSON string; empty if it is nested too deeply. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body ?? null);
  } catch {
    // A body of about 10,000 characters can be nested deeper than JSON.stringify can follow.
    return '';
  }
}
