import type { Facts, Rule } from './facts';
import { placeOf } from './scenarios';

/** Something that must not be true afterwards where a login form was submitted twice. */
export type JoinedHarm =
  | 'a joined session has ended the login of the first'
  | 'a joined session waits in vain'
  | 'a login was joined after an attempt'
  | 'another sender has joined a login';

const STRANGER = 'stranger';

export const JOINED_RULES: Readonly<Record<JoinedHarm, Rule>> = {
  'a joined session has ended the login of the first': {
    isBroken: (facts) => hasLeft(facts) && !isEndedByOthers(facts) && isFirstInVain(facts),
    isReached: hasLeft,
  },
  'a joined session waits in vain': {
    isBroken: ({ joins, outcome: { sessions }, toldOfLogin, isOver }) =>
      sessions.some(
        ({ cookie, waitsFor }) =>
          waitsFor?.isJoined === true &&
          joins.includes(cookie) &&
          waitsFor.codes.length === 0 &&
          toldOfLogin('sent').some(({ request }) => !joins.includes(request)) &&
          !isOver({ request: cookie }),
      ),
    isReached: ({ joins, outcome: { sessions } }) =>
      sessions.some(({ cookie, waitsFor }) => joins.includes(cookie) && waitsFor !== null),
  },
  'a login was joined after an attempt': {
    isBroken: (facts) => facts.joins.some((join) => isAfterAttempt(facts, join)),
    isReached: (facts) =>
      facts.toldOfLogin('sent').some(({ request }) => isAfterAttempt(facts, request)) ||
      facts.outcome.replies.some(({ request }) => isAfterAttempt(facts, request)),
  },
  'another sender has joined a login': {
    isBroken: ({ outcome: { sessions } }) =>
      sessions.some(
        ({ cookie, waitsFor }) => cookie.startsWith(STRANGER) && waitsFor?.isJoined === true,
      ),
    isReached: ({ outcome: { sessions } }) =>
      sessions.some(({ cookie, waitsFor }) => cookie.startsWith(STRANGER) && waitsFor !== null),
  },
};

/** Whether a session has left a login that another session began. */
function hasLeft({ isJoined, shared, told }: Facts): boolean {
  const isOut = told('cancelled').length > 0 || told('out').length > 0;
  return shared !== null && isJoined && isOut;
}

function isEndedByOthers({ shared, outcome, othersEndAt }: Facts): boolean {
  const isOwn = (request: string): boolean =>
    outcome.replies.some((own) => own.request === request);
  const isEnd = ({ request, said }: { request: string; said: string }): boolean =>
    said === 'verified' || (!isOwn(request) && ['cancelled', 'out'].includes(said));
  return othersEndAt >= 0 || shared?.replies.some(isEnd) === true;
}

function isFirstInVain({ shared, outcome }: Facts): boolean {
  const own = outcome.sessions[0]?.cookie ?? 'before-there';
  return (
    shared?.sessions.some(
      ({ cookie, waitsFor }) =>
        placeOf(cookie) !== placeOf(own) && waitsFor !== null && waitsFor.codes.length === 0,
    ) === true
  );
}

/** Whether a login form came after an attempt at a login that it could have joined. */
function isAfterAttempt({ scenario, at, attempts }: Facts, request: string): boolean {
  const { state, beside } = scenario;
  // What was pending before is no login that this form could have joined.
  if (state !== 'new' || (beside !== undefined && beside.state !== 'new')) return false;
  const begunAt = at(request, 'pendingLogins.begin');
  return attempts.some((attempt) => {
    const claimedAt = at(attempt, 'pendingLogins.claim');
    return claimedAt >= 0 && claimedAt < begunAt;
  });
}
