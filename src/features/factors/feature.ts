import type { RequestHandler } from 'express';
import { admitsOtherFactors } from '../../core/accepted-factors';
import type { Core } from '../../core/context';
import type { CheckResult, Factor, Feature } from '../../core/feature';
import { isObject } from '../../errors';
import type { MiddlewareContext } from '../../middleware/context';
import { createOptionsWith } from '../../middleware/options-with';
import { parseJson } from '../../stores/check-values';
import type { ChallengeFactor, CodeFactor, Factor as AppFactor } from './factors';

/** Added by the option `factors`. */
export interface FactorsPart {
  /**
   * Answers with the options for a factor that answers a challenge, as JSON. `verifyWith` verifies
   * its response, once and within five minutes. @throws {TypeError} when `factors` has none of that
   * name that does.
   */
  readonly optionsWith: (factor: string) => RequestHandler;
}

/**
 * Adds the app's own factors.
 * @param codeField The field of a form that has the code of a factor without a field of its own.
 */
export function createAppFactors(
  core: Core,
  factors: readonly AppFactor[],
  codeField: string,
): Feature<MiddlewareContext> {
  return {
    name: 'factors',
    factors: factors.map((factor) =>
      'check' in factor
        ? createTypedFactor(factor, codeField)
        : createAnsweringFactor(core, factor, codeField),
    ),
    async offers(user, userId) {
      const asked = factors.map(async (factor) => {
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

/** Rejects with what the app throws, and tells the operator. */
async function hasFactor(
  { emit }: Core,
  factor: AppFactor,
  user: Express.User,
  userId: string,
): Promise<boolean> {
  if (factor.isAvailable === undefined) return true;
  try {
    const isAvailable: unknown = await factor.isAvailable(user);
    return isAvailable === true;
  } catch (error) {
    emit({ type: 'factor-failing', userId, factor: factor.name });
    throw error;
  }
}

function optionsWith(edge: MiddlewareContext, name: string): RequestHandler {
  const createOptions = edge.factors.get(name)?.createOptions;
  if (createOptions === undefined)
    throw new TypeError('optionsWith: factors has none of that name with createOptions');
  return createOptionsWith(edge, createOptions);
}

/** Longer input is not a code of any factor. */
const MAX_FACTOR_INPUT_LENGTH = 128;

/**
 * The app's callback checks the codes of its own factor. A transaction's message shows what is
 * approved, and an enrollment's proves the number: only a code that was sent is good for those.
 */
function createTypedFactor(factor: CodeFactor, codeField: string): Factor {
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

/** A callback without types may answer anything: only `true` is right. */
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
    isSent: false,
  };
}

/** Longer input is not a response. A passkey's has some 1,000 characters. */
const MAX_RESPONSE_LENGTH = 16_384;

/**
 * The app's callback checks the response to a challenge of ours, which comes as JSON or, from a
 * form, as its text.
 */
function createAnsweringFactor(
  { store }: Pick<Core, 'store'>,
  factor: ChallengeFactor,
  codeField: string,
): Factor {
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
        // False: another request answers it.
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

/** Returns a parsed body as JSON text again; an empty text when it is too deep. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body ?? null);
  } catch {
    // A body of some 10,000 characters can be nested deeper than JSON.stringify can follow.
    return '';
  }
}
