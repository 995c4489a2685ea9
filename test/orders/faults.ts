import type { Scenario, State, Verb } from './scenarios';

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
  readonly kind?: 'mishaps' | 'mishaps-preempted' | 'preempted-once' | 'preempted-twice';
}

/** The share of the orders that have each harm. */
export type HarmShares = Record<string, number>;

const SLOT = 'middleware/session-slot.ts';
const ENDING = 'core/end-others.ts';
const REVOKE_ALL = ['logged-in', 'revoke-all'] as const;
const MEMORY = 'stores/memory/memory-pending-logins.ts';

const pending = (...verbs: Scenario['verbs']): Scenario => ({ state: 'pending', verbs });
const loggedIn = (...verbs: Scenario['verbs']): Scenario => ({ state: 'logged-in', verbs });
/** A change in one browser, and what is under way in another one of the same user. */
const beside = (
  [state, verb]: readonly [State, Verb],
  [from, ...verbs]: readonly [State, ...Verb[]],
): Scenario => ({ state, verbs: [verb], beside: { who: 'browser', state: from, verbs } });
/** The same change twice, one after the other. */
const again = (scenario: Scenario): Scenario => ({
  ...scenario,
  verbs: [...scenario.verbs, ...scenario.verbs],
  isInTurn: true,
});

/** A login form that is submitted twice, and what each session does. */
const twice = (here: readonly Verb[], there: readonly Verb[]): Scenario => ({
  state: 'new',
  verbs: here,
  isInTurn: true,
  beside: { who: 'browser', state: 'new', verbs: there },
});

const steppingUp = (...verbs: Scenario['verbs']): Scenario => ({ state: 'stepping-up', verbs });

export const FAULTS: readonly SeededFault[] = [
  {
    name: 'the answer of finish is ignored',
    file: 'core/finish-login.ts',
    from: 'return finished.isFinished ? toWritten(core.warn, puts, replaces, finished) : null;',
    to: 'return toWritten(core.warn, [], undefined, finished.isFinished ? finished : { results: [], replaced: null, isFinished: true });',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'finish leaves the pending login',
    file: 'stores/memory/memory-finish.ts',
    from: 'endLogin();',
    to: 'void endLogin;',
    scenario: { ...pending('right', 'right'), acceptsTwice: true },
  },
  {
    name: 'finish takes a text that is over',
    file: MEMORY,
    from: 'if (otpId !== undefined && findOtp(login, otpId) === undefined) return null;',
    to: 'void otpId;',
    scenario: beside(['new', 'send'], ['pending', 'right']),
  },
  {
    name: 'a text is attached to a login that is over',
    file: MEMORY,
    from: 'if (login === undefined) return false;\n\n    for (const other of',
    to: 'if (login === undefined) return true;\n\n    for (const other of',
    // The session is compared with the store after it: only where that fails the text is announced.
    scenario: beside(['logged-in', 'revoke-all'], ['pending', 'resend']),
    kind: 'mishaps-preempted',
  },
  {
    name: 'a text leaves the texts of the other login',
    file: MEMORY,
    from: 'else if (other.place === login.place) dropOtps(other);',
    to: 'else void dropOtps;',
    scenario: beside(['new', 'send'], ['pending', 'right']),
  },
  {
    name: 'a text leaves the other pending logins of the session',
    file: MEMORY,
    from: 'if (isOfSeries(other, login)) logins.delete(other);',
    to: 'if (isOfSeries(other, login)) void logins;',
    scenario: steppingUp('transaction', 'guard'),
  },
  {
    name: 'a session follows only the pending login that it knows',
    file: 'middleware/update-slot.ts',
    from: 'const newest = isOnly ? null : await findNewest(req);',
    to: 'const newest = isOnly || findNewest.length > 0 ? null : await findNewest(req);',
    scenario: loggedIn('step-up', 'step-up'),
  },
  {
    name: 'a login form joins a login in which a code was entered',
    file: MEMORY,
    from: 'return isSame && newest.attempts === undefined ? newest : undefined;',
    to: 'return isSame ? newest : undefined;',
    scenario: twice(['send', 'wrong'], ['send']),
    kind: 'preempted-once',
  },
  {
    name: 'a login form joins the login of another sender',
    file: MEMORY,
    from: 'newest?.sender === begun.sender &&',
    to: 'newest !== undefined &&',
    scenario: { state: 'new', verbs: ['send', 'stranger'] },
  },
  {
    name: 'a cancel in a joined session ends the login',
    file: 'create-edge.ts',
    from: 'if (isJoined !== true) await pendingLogins.end(pendingId);',
    to: 'void isJoined;\n      await pendingLogins.end(pendingId);',
    scenario: beside(['pending', 'resend'], ['joined', 'cancel']),
  },
  {
    name: 'a resend in a joined session makes the login its own',
    file: 'middleware/answer-send.ts',
    from: '...(isJoined && { isJoined }),\n  };\n  const notice',
    to: '};\n  const notice',
    scenario: beside(['pending', 'guard'], ['joined', 'resend', 'cancel']),
  },
  {
    name: 'a cancel in a joined session shows the login again',
    file: 'middleware/update-slot.ts',
    from: 'waited = current.pending?.isJoined === true ? undefined : current.pending;',
    to: 'waited = current.pending;',
    scenario: beside(['pending', 'resend'], ['joined', 'cancel']),
  },
  {
    name: 'the text before the newest ends when the gateway says that it is over',
    file: 'core/check-code.ts',
    from: "if (checked.kind === 'over') return await reject(checker, counted, { outcome: 'not-checked' });",
    to: [
      "if (checked.kind === 'over') {",
      '  await checker.core.store.pendingLogins.end(newest.pending.pendingId, previous.otpId);',
      '  return await reject(checker, counted);',
      '}',
    ].join('\n'),
    scenario: { state: 'resent', verbs: ['earlier', 'earlier'] },
  },
  {
    name: 'the attempt is counted after the code was judged',
    file: 'core/count-attempt.ts',
    from: 'const claimed = await core.store.pendingLogins.claim(shown.pendingId, { of, otpId, most });',
    to: [
      'const { pendingLogins } = core.store;',
      'const found = await pendingLogins.find(shown.pendingId);',
      "if (found === null || found === 'passed') return refuse('wrong-code', true);",
      'queueMicrotask(() => void pendingLogins.claim(shown.pendingId, { of, otpId, most }));',
      "const claimed = { outcome: 'claimed', attempt: 1, ...found } as Awaited<",
      '  ReturnType<typeof pendingLogins.claim>',
      '>;',
    ].join('\n'),
    scenario: pending('wrong', 'wrong', 'wrong'),
    kind: 'preempted-once',
  },
  {
    name: 'a text admits one attempt more',
    file: MEMORY,
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
    file: 'features/phones/enroll.ts',
    from: '// 2 Verify the code, then repeat',
    to: 'if (request.visit.currentUser !== undefined) await enter({ user: request.visit.currentUser, to: "+14155550188" } as Verified, request);\n    // 2 Verify the code, then repeat',
    scenario: { state: 'enrolling', verbs: ['confirm'] },
    kind: 'mishaps',
  },
  {
    name: 'the token of a trusted device is good twice',
    file: 'features/trusted-devices/device-tokens.ts',
    from: "if (isJust) return { kind: 'just-replaced' };",
    to: "if (isJust) return { kind: 'known', device, value: (await tokens.issue(device.userId, device.deviceId)).value };",
    scenario: pending('device', 'device'),
  },
  {
    name: 'a cancel leaves the session as it is',
    file: 'middleware/resend-cancel-step-up.ts',
    from: 'await updateSlot(context, req, isStill, (now) => withoutPending(withoutNotice(now)));',
    to: 'void [updateSlot, isStill, withoutPending, withoutNotice];',
    scenario: pending('cancel', 'guard'),
  },
  {
    name: 'a session that could not be saved counts as saved',
    file: SLOT,
    from: "return callStore('saved', (done) => session.save(done));",
    to: "return callStore('saved', (done) => session.save(done)).catch(() => undefined);",
    scenario: pending('resend'),
    kind: 'mishaps',
  },
  {
    name: 'a text that could not be attached counts as attached',
    file: 'core/send-message.ts',
    from: 'await refundUnusable(core, { userId, bucket: otp.bucket });\n    throw error;',
    to: 'return error !== undefined;',
    scenario: pending('send'),
    kind: 'mishaps',
  },
  {
    name: 'a resend goes on with a login that is over',
    file: 'core/send-message.ts',
    from: 'return await core.store.pendingLogins.attach(pendingId, otp, endsPrevious);',
    to: [
      'const { attach, begin } = core.store.pendingLogins;',
      'if (await attach(pendingId, otp, endsPrevious)) return true;',
      "await begin({ pending, place: 'login', side: 'others', block: '' }, { most: 100, protectedSeconds: 60, joinSeconds: 0 });",
      'return await attach(pendingId, otp, endsPrevious);',
    ].join('\n'),
    scenario: pending('resend', 'cancel'),
  },
  {
    name: 'what was written is not compared with the store',
    file: 'middleware/update-slot.ts',
    from: 'if (found === undefined) break;',
    to: 'if (found === undefined || writes > 0) break;',
    scenario: pending('resend', 'cancel'),
  },
  {
    name: 'a logout leaves the record of the login',
    file: 'middleware/logout.ts',
    from: 'Promise.allSettled([logins.end(req),',
    to: 'Promise.allSettled([logins.isActive(req),',
    scenario: loggedIn('step-up', 'logout'),
  },
  {
    name: 'a step-up leaves the record of the login before',
    file: 'core/finish-login.ts',
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
  {
    name: 'what begins before a change is not ended after it',
    file: ENDING,
    from: '// Repeat this: a login may have begun meanwhile from what was valid before the change.\n    await pendingLogins.endAll(userId, pendingId);',
    to: '',
    scenario: beside(REVOKE_ALL, ['new', 'send', 'right-trust']),
    kind: 'preempted-twice',
  },
  {
    name: 'a change leaves the trust in devices',
    file: 'features/trusted-devices/feature.ts',
    from: 'revokeFor(userId, reason, address, deviceId),',
    to: 'Promise.resolve(void [revokeFor, userId, reason, address, deviceId]),',
    scenario: beside(REVOKE_ALL, ['pending', 'right-trust']),
  },
  {
    name: 'a change leaves the logins of other browsers',
    file: 'features/logins/feature.ts',
    from: 'else await registry.endAll(userId, reason, loginId);',
    to: 'else void [registry, userId, reason, loginId];',
    scenario: beside(['logged-in', 'remove'], ['stepping-up', 'right']),
  },
  {
    name: 'a change leaves the browsers known',
    file: 'features/known-browsers/feature.ts',
    from: 'endAll: (userId) => forgetBrowsers(store, limits, userId, now()),',
    to: 'endAll: () => Promise.resolve(void [forgetBrowsers, limits, now]),',
    scenario: beside(REVOKE_ALL, ['pending', 'right']),
  },
  {
    name: 'a login by a device ignores that its pending login has ended',
    file: 'core/let-in.ts',
    from: 'await finishLogin(core, pending.pendingId, prepared, NO_CODE);',
    to: '(await finishLogin(core, pending.pendingId, prepared, NO_CODE)) ?? { done: async () => undefined, undo: async () => undefined };',
    scenario: beside(REVOKE_ALL, ['new', 'device']),
  },
  {
    name: 'a change ends the texts of other logins, and not the logins',
    file: MEMORY,
    from: 'if (login.key !== except) logins.delete(login);',
    to: 'if (login.key !== except) dropOtps(login);',
    scenario: beside(REVOKE_ALL, ['pending', 'recover']),
  },
  {
    name: 'a change ends what another user has begun',
    file: MEMORY,
    from: 'for (const login of findOfUser(byUser, userId)) if (login.key',
    to: 'for (const login of [userId, ...byUser.keys()].flatMap((id) => findOfUser(byUser, id))) if (login.key',
    scenario: {
      state: 'logged-in',
      verbs: ['revoke-all'],
      beside: { who: 'user', state: 'new', verbs: ['send', 'right'] },
    },
  },
  {
    name: 'new recovery codes end nothing',
    file: 'features/recovery-codes/recovery-codes-part.ts',
    from: "await changeAndEnd(req, id, 'changed', async () =>",
    to: 'void changeAndEnd;\n        await (async (change: () => Promise<void>) => change())(async () =>',
    scenario: beside(['logged-in', 'new-codes'], ['pending', 'right']),
  },
  {
    name: 'a number that was confirmed half-way is not completed',
    file: 'features/phones/enroll.ts',
    from: "if (found === 'passed') await request.completeEnding(currentUser);",
    to: 'void [found, request];',
    scenario: again(beside(['replacing', 'confirm'], ['stepping-up', 'right'])),
    kind: 'mishaps',
  },
  {
    name: 'a stolen device is forgotten before the rest has ended',
    file: 'features/trusted-devices/device-tokens.ts',
    from: 'if (await devices.swap(device, withoutToken(device, await tokens.issue(userId, deviceId))))',
    to: 'void withoutToken;\n    if (await devices.remove(userId, deviceId))',
    scenario: again(beside(['new', 'stolen'], ['stepping-up', 'right'])),
    kind: 'mishaps',
  },
  {
    name: 'the cookie of a stolen device goes before the rest has ended',
    file: 'features/trusted-devices/feature.ts',
    from: "if (result.kind === 'stolen') await endAllElse(",
    to: "visit.cookies.clear(cookieName);\n  if (result.kind === 'stolen') await endAllElse(",
    scenario: again(beside(['new', 'stolen'], ['stepping-up', 'right'])),
    kind: 'mishaps',
  },
];
