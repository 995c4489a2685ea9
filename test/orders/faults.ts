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
    name: 'the answer of finish is ignored',
    file: 'login/finish-login.ts',
    from: 'if (!result.isFinished) return false;',
    to: 'if (!result.isFinished) return true;',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'finish leaves the pending login',
    file: 'stores/memory/memory-finish.ts',
    from: 'endLogin(options.leavesMark);',
    to: 'void endLogin;',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'finish takes a text that is over',
    file: 'stores/memory/memory-pending-logins.ts',
    from: 'if (otpId !== undefined && findText(login, otpId) === undefined) return null;\n    return (leavesMark)',
    to: 'return (leavesMark)',
    scenario: pending('right', 'resend'),
  },
  {
    name: 'a text is attached to a login that is over',
    file: 'stores/memory/memory-pending-logins.ts',
    from: 'return login !== undefined;\n  }\n\n  function addText',
    to: 'return true;\n  }\n\n  function addText',
    scenario: pending('resend', 'cancel'),
  },
  {
    name: 'a text leaves the texts of the other login',
    file: 'stores/memory/memory-pending-logins.ts',
    from: 'if (other !== login && other.place === login.place) dropTexts(other);',
    to: 'void other;',
    scenario: { state: 'pending', verbs: ['send', 'right'] },
  },
  {
    name: 'the attempt is counted after the code was judged',
    file: VERIFY,
    from: 'const claim = await pendingLogins.claim(pending.pendingId, { of, most });',
    to: [
      'const found = await pendingLogins.find(pending.pendingId);',
      "if (found === null || found === 'passed') return refuse('wrong-code', true);",
      'queueMicrotask(() => void pendingLogins.claim(pending.pendingId, { of, most }));',
      "const claim = { outcome: 'claimed', attempt: 1, ...found } as Awaited<",
      '  ReturnType<typeof pendingLogins.claim>',
      '>;',
    ].join('\n'),
    scenario: pending('wrong', 'wrong', 'wrong'),
    kind: 'preempted-once',
  },
  {
    name: 'a text admits one attempt more',
    file: 'stores/memory/memory-pending-logins.ts',
    from: "if (attempt > most) return { outcome: 'exhausted' };",
    to: "if (attempt > most + 1) return { outcome: 'exhausted' };",
    scenario: pending('wrong', 'wrong', 'wrong'),
    kind: 'preempted-twice',
  },
  {
    name: 'the limits are read, and charged after that',
    file: 'limits/charge.ts',
    from: 'const { refusedBy, counts } = await counters.charge(rows.map(({ counter }) => counter));',
    to: [
      'const asked = rows.map(({ counter }) => counter);',
      'const { refusedBy, counts } = await counters.charge(',
      '  asked.map((counter) => ({ ...counter, isOnlyRead: true })),',
      ');',
      'if (refusedBy === null) await counters.charge(asked);',
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
    from: '// 2 the code; and before it counts',
    to: 'if (request.currentUser !== undefined) await enter({ user: request.currentUser, mobile: "+14155550188" } as Verified, request);\n    // 2 the code; and before it counts',
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
    from: 'const update = await updateSlot(context, req, isStill, (now) =>\n        withoutPending(withoutNotice(now)),\n      );',
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
    name: 'a login that could not be stored counts as stored',
    file: SEND_OTP,
    from: '? await store.pendingLogins.begin(pendingLogin, placeOf(purpose, bucket), text)',
    to: '? await store.pendingLogins\n            .begin(pendingLogin, placeOf(purpose, bucket), text)\n            .catch(() => true)',
    scenario: pending('send'),
    kind: 'mishaps',
  },
  {
    name: 'a resend goes on with a login that is over',
    file: SEND_OTP,
    from: ': await store.pendingLogins.attach(pendingId, text);',
    to: ': await store.pendingLogins.begin(pendingLogin, placeOf(purpose, bucket), text);',
    scenario: pending('resend', 'cancel'),
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
    from: 'Promise.allSettled([\n      logins.end(req),',
    to: 'Promise.allSettled([\n      logins.isLive(req),',
    scenario: loggedIn('step-up', 'logout'),
  },
  {
    name: 'a step-up leaves the record of the login before',
    file: 'login/finish-login.ts',
    from: '.finish(pendingId, { ...options, puts: writes, replaces })',
    to: '.finish(pendingId, { ...options, puts: writes, replaces: undefined })\n    .finally(() => void replaces)',
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
