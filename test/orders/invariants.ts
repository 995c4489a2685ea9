import { HOME, NEW } from './app';
import { BESIDE_RULES, type BesideHarm } from './beside-rules';
import { listFacts, type Rule } from './facts';
import { JOINED_RULES, type JoinedHarm } from './joined-rules';
import { isEmpty, isWorthless, type Outcome } from './outcome';
import { isLoggedIn, type Scenario } from './scenarios';

/** Something that must not be true afterwards, whatever the order. */
export type Harm =
  | 'two successes of one code'
  | 'more codes judged than a challenge admits'
  | 'in without a code'
  | 'a success is worth nothing'
  | 'a number without its code'
  | 'an accident without a fault'
  | 'shut out afterwards'
  | 'the old session is logged in after a renewal'
  | 'the old session is back after a renewal'
  | 'a logout was undone'
  | 'a cancel was undone'
  | 'a text was announced, and its code can be entered nowhere'
  | 'a text went out, and nobody was told'
  | 'a recovery code was spent for nothing'
  | 'two codes of one session are accepted'
  | JoinedHarm
  | BesideHarm;

const MOST_JUDGED = 2;
const CODES_LEFT_AFTER_ONE = 9;

/**
 * What a code, or a recovery code in its place, was right for. All requests of an order have the
 * same ones.
 */
const CODE_VERBS = /^(right|earlier|confirm|recover|answer)/;
/** What the token of a trusted device is right for: the next one takes its place. */
const DEVICE_VERB = /^device/;
/** Requests that begin anew, whatever was before. */
const BEGINNING = /^otp:(send|device|stolen|stranger|step-up|transaction|enroll)/;

const RULES: Readonly<Record<Harm, Rule>> = {
  ...BESIDE_RULES,
  ...JOINED_RULES,
  'two successes of one code': {
    isBroken: ({ toldOfLogin }) =>
      [CODE_VERBS, DEVICE_VERB].some(
        (verbs) => toldOfLogin('verified').filter(({ request }) => verbs.test(request)).length > 1,
      ),
    isReached: ({ outcome }) =>
      outcome.judged.some((count) => count > 1) && outcome.right.length > 0,
  },
  'more codes judged than a challenge admits': {
    isBroken: ({ outcome }) => outcome.judged.some((count) => count > MOST_JUDGED),
    isReached: ({ outcome }) => outcome.judged.some((count) => count === MOST_JUDGED),
  },
  'in without a code': {
    isBroken: ({ outcome, state, told, isWhole }) =>
      (told('passed').length > 0 && !isLoggedIn(state)) ||
      outcome.sessions.some(({ cookie, user }) => {
        if (user === null) return false;
        if (cookie.startsWith('before')) return !isLoggedIn(state);
        // A success whose answer was lost is told nothing.
        if (!isWhole) return !cookie.startsWith('device') && !hasSpentCode(outcome);
        return !told('verified').some(({ request }) => request === cookie);
      }),
    isReached: ({ state, told }) => !isLoggedIn(state) && told('invalid-code').length > 0,
  },
  'a success is worth nothing': {
    // Who has logged out as well is out, and a change ends all other logins.
    isBroken: ({ outcome: { sessions, numbers }, scenario, told, isEarlier, ...order }) =>
      told('out').length === 0 &&
      (scenario.beside !== undefined || !numbers.includes(NEW)) &&
      // In a chain the next success takes its place.
      told('verified').some(
        ({ request }, _index, all) =>
          !all.some((next) => isEarlier(request, next.request)) &&
          order.othersEndAt < order.at(request, 'store.finish') &&
          !sessions.some(({ cookie, hasMark }) => cookie === request && hasMark),
      ),
    isReached: ({ told }) => told('verified').length > 0,
  },
  'a number without its code': {
    isBroken: ({ outcome: { numbers, right }, scenario }) =>
      !(numbers.includes(HOME) || mayChange(scenario, numbers)) ||
      (numbers.includes(NEW) && !right.includes(NEW)),
    isReached: ({ outcome: { numbers } }) => numbers.includes(NEW),
  },
  'an accident without a fault': {
    isBroken: ({ outcome, isWhole }) =>
      isWhole && outcome.replies.some(({ status }) => status >= 500),
    isReached: ({ isWhole }) => isWhole,
  },
  'shut out afterwards': {
    isBroken: ({ outcome }) => outcome.isShutOut === true,
    isReached: ({ outcome }) => outcome.isShutOut === false,
  },
  'the old session is logged in after a renewal': {
    isBroken: ({ before, isRenewed }) => isRenewed && before?.hasMark === true,
    isReached: ({ state, isRenewed }) => isLoggedIn(state) && isRenewed,
  },
  'the old session is back after a renewal': {
    isBroken: ({ before, isRenewed }) =>
      isRenewed && before?.user === null && before.waitsFor !== null,
    isReached: ({ state, isRenewed }) => !isLoggedIn(state) && isRenewed,
  },
  'a logout was undone': {
    isBroken: ({ before, told }) =>
      told('out').length > 0 && before !== undefined && !isWorthless(before) && !isEmpty(before),
    isReached: ({ told }) => told('out').length > 0 && told('sent').length > 0,
  },
  'a cancel was undone': {
    isBroken: ({ before, told, hasBegunWithoutText }) => {
      const waitsFor = before?.waitsFor ?? null;
      if (told('cancelled').length === 0 || waitsFor === null) return false;
      // The login of another session goes on, and nothing in the store says who has left it.
      if (waitsFor.isJoined && told('sent').length > 0) return false;
      return waitsFor.isSent ? !BEGINNING.test(waitsFor.otpId) : !hasBegunWithoutText;
    },
    isReached: ({ told }) => told('cancelled').length > 0 && told('sent').length > 0,
  },
  'a text was announced, and its code can be entered nowhere': {
    isBroken: ({ outcome: { texts }, told, canEnter, isOver }) => {
      const senders = told('sent');
      if (senders.length === 0 || senders.some(isOver)) return false;
      const announced = texts.filter(({ by }) => senders.some(({ request }) => request === by));
      // A request that was told so without a text of its own means one that went out before.
      return announced.length === 0 ? !canEnter() : !announced.some(({ otpId }) => canEnter(otpId));
    },
    isReached: ({ told, canEnter }) => told('sent').length > 0 && canEnter(),
  },
  'a text went out, and nobody was told': {
    isBroken: ({ outcome: { texts }, told, canEnter, isOver, isWhole }) =>
      isWhole &&
      texts.some(({ otpId, by }) => {
        const isTold = told('sent').some(({ request }) => request === by);
        return !isTold && !canEnter(otpId) && !isOver({ request: by });
      }),
    isReached: ({ outcome: { texts }, told }) =>
      texts.length > 0 && told('no-pending-login').length > 0,
  },
  'two codes of one session are accepted': {
    isBroken: ({ scenario, outcome: { texted } }) =>
      scenario.beside === undefined && texted.filter((purpose) => purpose !== 'login').length > 1,
    isReached: ({ scenario, outcome: { texted } }) =>
      scenario.beside === undefined && texted.some((purpose) => purpose !== 'login'),
  },
  'a recovery code was spent for nothing': {
    // The step that ends the login uses the code up, so a used code has let someone in.
    isBroken: ({ outcome, has, told, isWhole }) => {
      const isSpent = has('recover') && outcome.recoveryCodes === CODES_LEFT_AFTER_ONE;
      const hasLetIn = told('verified').some(({ request }) => request.startsWith('recover'));
      return isWhole && isSpent && !hasLetIn;
    },
    isReached: ({ outcome: { recoveryCodes }, has }) =>
      has('recover') && recoveryCodes === CODES_LEFT_AFTER_ONE,
  },
};

/** Whether the number that is texted may be gone: removed, or with another one in its place. */
function mayChange({ state, verbs, beside }: Scenario, numbers: readonly string[]): boolean {
  const isReplaced = [state, beside?.state].includes('replacing') && numbers.includes(NEW);
  return isReplaced || [...verbs, ...(beside?.verbs ?? [])].includes('remove');
}

function hasSpentCode({ right, done }: Outcome): boolean {
  return right.length > 0 || done.some((step) => /^recover\S*:store\.finish$/.test(step));
}

/** Every harm, in the order of the rules. */
export const HARMS = Object.keys(RULES) as readonly Harm[];

export function findHarms(scenario: Scenario, outcome: Outcome): readonly Harm[] {
  const facts = listFacts(scenario, outcome);
  return HARMS.filter((harm) => facts.some(RULES[harm].isBroken));
}

/** Returns the harms whose rule had something to guard here. */
export function findReached(scenario: Scenario, outcome: Outcome): readonly Harm[] {
  const facts = listFacts(scenario, outcome);
  return HARMS.filter((harm) => facts.some(RULES[harm].isReached));
}
