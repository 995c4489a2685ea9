import { HOME, NEW } from './app';
import { type Facts, isChange, type Rule } from './facts';
import { isLoggedIn } from './scenarios';

/**
 * Something that must not be true afterwards where two browsers, or two users, are at it together.
 */
export type BesideHarm =
  | 'in as another user'
  | 'a login from before a change is in'
  | 'a device from before a change is trusted'
  | 'a browser from before a change is known'
  | 'a change that was told is not in effect'
  | 'a change that failed is not completed by the same request'
  | 'a code that a later text has taken lets in'
  | 'a text was announced for a login that was over';

const CODES = 10;

/** What the code of a text is entered with. */
const TEXT_VERB = 'right';

export const BESIDE_RULES: Readonly<Record<BesideHarm, Rule>> = {
  'in as another user': {
    isBroken: ({ outcome: { sessions }, userId }) =>
      sessions.some(({ user }) => user !== null && user !== userId),
    isReached: ({ outcome: { sessions }, scenario }) =>
      scenario.beside?.who === 'user' && sessions.some(({ user }) => user !== null),
  },
  'a login from before a change is in': {
    isBroken: ({ othersEndedAt, ...facts }) =>
      othersEndedAt >= 0 && isInFromBefore(facts, othersEndedAt),
    isReached: ({ othersEndedAt }) => othersEndedAt >= 0,
  },
  'a device from before a change is trusted': {
    isBroken: (facts) => isTrustedFromBefore(facts, facts.endedAt),
    isReached: ({ endedAt, has }) => endedAt >= 0 && (has('device') || has('right-trust')),
  },
  'a browser from before a change is known': {
    isBroken: ({ outcome: { beside }, begunAt, endedAt, isEnabled }) =>
      beside?.known.some((name) => begunAt(name) < endedAt || isEnabled) === true,
    isReached: ({ endedAt }) => endedAt >= 0,
  },
  'a change that was told is not in effect': {
    isBroken: ({ outcome: { numbers, recoveryCodes }, state, told }) =>
      (told('changed').length > 0 && numbers.includes(HOME)) ||
      (state === 'replacing' &&
        told('verified').length > 0 &&
        !(numbers.includes(NEW) && !numbers.includes(HOME))) ||
      (told('generated').length > 0 && recoveryCodes !== CODES) ||
      (told('forgotten').length > 0 && recoveryCodes > 0),
    isReached: ({ told }) =>
      ['changed', 'verified', 'generated', 'forgotten'].some((said) => told(said).length > 0),
  },
  'a change that failed is not completed by the same request': {
    isBroken: (facts) => {
      const { isWhole, others, othersEndedAt } = facts;
      const isLeft = others.every(isChange) && othersEndedAt < 0 && isInEffect(facts);
      return !isWhole && isLeft && isInFromBefore(facts, Infinity);
    },
    isReached: ({ isWhole, others, othersEndedAt }) =>
      !isWhole && others.filter(isChange).length > 1 && othersEndedAt >= 0,
  },
  'a code that a later text has taken lets in': {
    isBroken: ({ state, told, takenAt, at, begunAt }) => {
      if (isLoggedIn(state)) return false;
      return told('verified').some(({ request }) => {
        const finishedAt = at(request, 'store.finish');
        const isLater = (index: number): boolean => index > begunAt(request) && index < finishedAt;
        return request.startsWith(TEXT_VERB) && takenAt.some(isLater);
      });
    },
    isReached: ({ takenAt, has }) => has('right') && takenAt.length > 0,
  },
  'a text was announced for a login that was over': {
    isBroken: ({ told, others, at, begunAt }) =>
      told('sent').some(({ request }) => {
        const attachedAt = at(request, 'pendingLogins.attach');
        const ends = [
          ...others.map(({ name }) => at(name, 'pendingLogins.endAll')),
          ...(request.startsWith('resend') ? [at('cancel', 'pendingLogins.end')] : []),
        ];
        return ends.some((index) => index > begunAt(request) && index < attachedAt);
      }),
    isReached: ({ told, at }) =>
      told('sent').some(({ request }) => at(request, 'pendingLogins.attach') >= 0),
  },
};

/** Whether a login that began before the end of the others is in. */
function isInFromBefore({ outcome: { sessions }, ...facts }: Seen, endedAt: number): boolean {
  return sessions.some(({ cookie, hasMark }) => hasMark && sinceWhen(facts, cookie) < endedAt);
}

/** Whether a device is trusted that was so, or whose login had begun, before the end of all. */
function isTrustedFromBefore({ outcome: { beside }, ...facts }: Seen, endedAt: number): boolean {
  return endedAt >= 0 && beside?.trusted.some((name) => sinceWhen(facts, name) < endedAt) === true;
}

type Seen = Pick<Facts, 'outcome' | 'begunAt'>;

/** Whoever logs in by a device, and gets another token for it, has been trusted before. */
function sinceWhen({ begunAt }: Pick<Facts, 'begunAt'>, name: string): number {
  return name.startsWith('device') ? -1 : begunAt(name);
}

/** Whether the other browser has changed a number, or shown the cookie of a stolen device. */
function isInEffect({ outcome: { numbers }, others, at }: Facts): boolean {
  const isNoticed = others.some(
    ({ name, verb }) => verb === 'stolen' && at(name, 'records.swap', 'records.remove') >= 0,
  );
  return isNoticed || !numbers.includes(HOME);
}
