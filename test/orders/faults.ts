import type { Scenario } from './scenarios';

/** A fault in the code that the explorer must find. */
export interface SeededFault {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** Where it shows. With `mishaps` a call goes wrong as well. */
  readonly scenario: Scenario;
  readonly kind?: 'mishaps' | 'preempted-once' | 'preempted-twice';
}

/** The share of the orders that have each harm. */
export type HarmShares = Record<string, number>;

const VERIFY = 'login/verify-otp.ts';
const SLOT = 'middleware/session-slot.ts';
const SEND_OTP = 'login/send-otp.ts';

const pending = (...verbs: Scenario['verbs']): Scenario => ({ state: 'pending', verbs });
const loggedIn = (...verbs: Scenario['verbs']): Scenario => ({ state: 'logged-in', verbs });
const steppingUp = (...verbs: Scenario['verbs']): Scenario => ({ state: 'stepping-up', verbs });

export const FAULTS: readonly SeededFault[] = [
  {
    name: 'the answer of consume is ignored',
    file: VERIFY,
    from: "if (isConsumed !== true) return await fail(attempt, 'wrong-code');",
    to: 'void isConsumed;',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'consume leaves the challenge',
    file: 'stores/memory/memory-challenges.ts',
    from: 'toLive(stored).hasLiveCode)) && end(stored);',
    to: 'toLive(stored).hasLiveCode));',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'the attempt is counted after the code was judged',
    file: VERIFY,
    from: 'if (verifier.isGuessable) return challenges.claim(otpId);\n    const live = await challenges.find(otpId);',
    to: 'const live = await challenges.find(otpId);\n    if (verifier.isGuessable && live !== null) queueMicrotask(() => void challenges.claim(otpId));',
    scenario: pending('wrong', 'wrong', 'wrong'),
    kind: 'preempted-once',
  },
  {
    name: 'a challenge admits one attempt more',
    file: 'stores/memory/memory-challenges.ts',
    from: 'stored.attempts >= stored.challenge.maxAttempts',
    to: 'stored.attempts > stored.challenge.maxAttempts',
    scenario: pending('wrong', 'wrong', 'wrong'),
    kind: 'preempted-twice',
  },
  {
    name: 'the limits are read, and charged after that',
    file: 'login/charge-send.ts',
    from: 'const charge = await parts.store.counters.charge(counters);',
    to: [
      'const charge = await parts.store.counters.charge(',
      '  counters.map((counter) => ({ ...counter, isOnlyRead: true })),',
      ');',
      'if (charge.refusedBy === null) await parts.store.counters.charge(counters);',
    ].join('\n'),
    scenario: pending('resend', 'resend'),
  },
  {
    name: 'a step-up keeps the id of the session',
    file: 'middleware/verify.ts',
    from: 'await slot.renewPrepared(req);',
    to: 'await Promise.resolve();',
    scenario: steppingUp('right', 'guard'),
  },
  {
    name: 'the session before a renewal is not ended',
    file: SLOT,
    from: 'const original = old.regenerate.bind(old);',
    to: [
      'const original = (done: (error?: unknown) => void): Session => {',
      '  (req as unknown as { sessionStore: { generate(req: unknown): void } }).sessionStore.generate(req);',
      '  done();',
      '  return old;',
      '};',
    ].join('\n'),
    scenario: { ...steppingUp('right', 'guard'), hasNoLogins: true },
  },
  {
    name: 'the session is not read again before it is written',
    file: SLOT,
    from: 'if (!(await reload(before))) return false;',
    to: 'void reload;',
    scenario: { ...loggedIn('step-up', 'logout'), hasNoLogins: true },
  },
  {
    name: 'a guard lets pass who has no mark',
    file: 'middleware/guard.ts',
    from: "if (mark === undefined) return 'second-factor-required';",
    to: "if (mark === undefined) return 'passed';",
    scenario: pending('right', 'guard'),
  },
  {
    name: 'a number is entered before its code was right',
    file: 'account/enroll.ts',
    from: '// 2 the code\n    const result',
    to: 'if (request.currentUser !== undefined) await enter({ user: request.currentUser, mobile: "+14155550188" } as Verified);\n    const result',
    scenario: { state: 'enrolling', verbs: ['confirm'] },
    kind: 'mishaps',
  },
  {
    name: 'the token of a trusted device is good twice',
    file: 'account/device-tokens.ts',
    from: "if (isJust) return { kind: 'just-replaced' };",
    to: "if (isJust) return { kind: 'known', device, value: next.value };",
    scenario: pending('device', 'device'),
  },
  {
    name: 'a cancel leaves the session as it is',
    file: 'middleware/resend-cancel-step-up.ts',
    from: 'const update = await updateSlot(context, req, isStill, (now) => withoutPending(withoutNotice(now)));',
    to: "const update = await Promise.resolve('written' as string);\n      void [updateSlot, isStill, withoutPending, withoutNotice];",
    scenario: pending('cancel', 'guard'),
  },
  {
    name: 'a session that could not be saved counts as saved',
    file: SLOT,
    from: "return orFailure('saved', (done) => session.save(done));",
    to: "return orFailure('saved', (done) => session.save(done)).catch(() => undefined);",
    scenario: pending('resend'),
    kind: 'mishaps',
  },
  {
    name: 'a challenge that could not be stored counts as stored',
    file: 'login/send-otp.ts',
    from: 'await store.challenges.begin(challenge, ttlSeconds, { supersedes });',
    to: 'await store.challenges.begin(challenge, ttlSeconds, { supersedes }).catch(() => undefined);',
    scenario: pending('send'),
    kind: 'mishaps',
  },
  {
    name: 'a resend goes on with a login that is over',
    file: SEND_OTP,
    from: "const supersedes = previous === undefined ? 'any' : 'live';",
    to: "const supersedes = 'any';",
    scenario: pending('resend', 'cancel'),
  },
  {
    name: 'an OTP id stands for itself alone',
    file: 'stores/memory/memory-challenges.ts',
    from: 'if (stored?.pendingId === undefined) return stored;',
    to: 'if (stored !== undefined) return stored;',
    scenario: pending('resend', 'recover'),
  },
  {
    name: 'what was written is not compared with the store',
    file: 'middleware/update-slot.ts',
    from: 'if (live === undefined) break;',
    to: 'if (live !== undefined) break;',
    scenario: pending('resend', 'cancel'),
  },
  {
    name: 'a logout leaves the record of the login',
    file: 'middleware/logins.ts',
    from: 'Promise.allSettled([logins.end(req), ',
    to: 'Promise.allSettled([logins.isLive(req), ',
    scenario: loggedIn('step-up', 'logout'),
  },
  {
    name: 'a step-up leaves the record of the login before',
    file: 'account/logins.ts',
    from: '|| !(await end(login.loginId))) return null;',
    to: ') return null;\n      void (end as unknown);',
    scenario: steppingUp('right', 'cancel'),
  },
  {
    name: 'a guard believes a login that has ended',
    file: 'middleware/guard.ts',
    from: "return logins.isChecked(req, login.loginId, at) ? 'passed' : 'unchecked';",
    to: "return 'passed';",
    scenario: loggedIn('step-up', 'logout'),
  },
];
