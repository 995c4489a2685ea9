import { describe, expect, it } from '@jest/globals';
import { ALICE, BOB, type TestAppOptions } from '../support/test-app';
import { seen, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const INVALID = [401, { error: 'invalid-code' }];
const MALFORMED = [400, { error: 'malformed-code' }];
const NOTHING = [401, { error: 'no-pending-login' }];

const test = useOwnApps();

async function start(given: TestAppOptions = {}): Promise<readonly [Visit, Visit]> {
  await test.start(given);
  return [visit(test, ALICE), visit(test, BOB)];
}
describe('a challenge', () => {
  it('is never named by the request (Pterodactyl GHSA-5vfx-8w6m-h3v4)', async () => {
    const [mine, theirs] = await start();
    await theirs.login();
    const otpId = await theirs.pendingId();
    const pin = test.code(BOB);
    const names = {
      id: otpId,
      otpId,
      token: otpId,
      challenge: otpId,
      pendingId: otpId,
      mobile: BOB.phone,
      userId: 'bob',
    };
    const agent = test.agent();
    const query = `?otpId=${otpId}&id=${otpId}`;
    const loose = await agent
      .post(`/login/pin${query}`)
      .set('x-otp-id', otpId ?? '')
      .send({ pin, ...names });
    expect(seen(loose)).toEqual(NOTHING);
    await mine.login();
    const held = await mine.enter(pin);
    expect(seen(held)).toEqual(INVALID);
    expect(test.sim.stats().validatesById[otpId ?? '']).toBeUndefined();
    expect(test.logins).toEqual([]);
  });

  it('holds for one user: a code of account X is none of account Y (Gogs CVE-2025-64175)', async () => {
    const [mine, theirs] = await start();
    await mine.login();
    await theirs.login();
    expect(seen(await mine.enter(test.code(BOB)))).toEqual(INVALID);
    expect(seen(await theirs.enter(test.code(ALICE)))).toEqual(INVALID);
    expect((await mine.enterRight()).status).toBe(200);
    expect((await mine.account()).body).toEqual({ id: 'alice' });
  });

  it.each([
    ['0', '00'],
    ['0', 'false'],
    ['1', '1.0'],
    ['1', '01'],
    ['1e1', '10'],
    ['a', 'A'],
    ['a', ' a'],
    ['0', '-0'],
    ['__proto__', 'constructor'],
  ])(
    'compares ids as texts, letter for letter: %p is not %p (Punk-TOTP CVE-2026-78619)',
    async (one, other) => {
      const users = [
        { id: one, phone: ALICE.phone },
        { id: other, phone: ALICE.phone },
      ];
      let [loaded] = users;
      await start({ users, options: { loadUser: () => loaded as unknown as Express.User } });
      const visitor = visit(test, users[0]);
      await visitor.login();
      loaded = users[1];
      expect(seen(await visitor.enterRight())).toEqual(NOTHING);
      expect(test.logins).toEqual([]);
    },
  );

  it('holds for one number: the code is void when the number has changed', async () => {
    const [mine] = await start();
    await mine.login();
    test.users.set('alice', { ...ALICE, phone: BOB.phone });
    expect(seen(await mine.enterRight())).toEqual(NOTHING);
  });
});

describe.each(['A', 'B'] as const)('a used code in variant %s', (variant) => {
  it('is good once, in the next interval too (devise-two-factor CVE-2015-7225, CVE-2021-43177)', async () => {
    const [mine, theirs] = await start({ variant });
    await mine.login();
    const code = test.code();
    expect((await mine.enter(code)).status).toBe(200);
    await mine.stepUp();
    for (const wait of [0, 30, 60]) {
      test.clock.advanceSeconds(wait);
      expect((await mine.enter(code)).body).not.toHaveProperty('verified');
    }
    await theirs.login();
    expect((await theirs.enter(code)).status).toBe(401);
    expect(test.logins).toEqual(['alice']);
  });

  it('is not a new one with blanks around it (Vault CVE-2025-6014, CVE-2025-6015)', async () => {
    const [mine] = await start({ variant });
    await mine.login();
    const code = test.code();
    const spellings = [
      code,
      ` ${code}`,
      `${code}\n`,
      `${code.slice(0, 3)}-${code.slice(3)}`,
      `\u200b${code}`,
      `#${code}`,
    ];
    test.sim.failNext('validate', { kind: 'latency', ms: 100, when: 'after' });
    const answers = await Promise.all(spellings.map((spelling) => mine.enter(spelling)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(Object.values(test.sim.stats().validatesById)).toEqual([expect.any(Number)]);
    expect(test.sim.stats().calls.validate).toBeLessThanOrEqual(5);
    for (const spelling of spellings) expect((await mine.enter(spelling)).status).toBe(401);
    expect(test.logins).toEqual(['alice']);
  });
});

describe('a code', () => {
  it('of one to three digits is none, even where the gateway would take it (otpauth GHSA-rmmc-8cqj-hfp3)', async () => {
    const [mine] = await start();
    await mine.login();
    for (const code of ['0', '7', '12', '123', '٧'])
      expect(seen(await mine.enter(code))).toEqual(MALFORMED);
    expect(test.sim.stats().calls.validate).toBe(0);
  });

  it.each([
    [''],
    [' '],
    [null],
    [undefined],
    ['\u0000'],
    ['\u200b\u200b\u200b\u200b'],
    ['null'],
    ['undefined'],
    ['#'],
  ])('that is blank is none: %j (Glassdoor)', async (code) => {
    const [mine] = await start();
    await mine.login();
    expect(seen(await mine.enter(code))).toEqual(MALFORMED);
    expect([test.sim.stats().calls.validate, test.logins]).toEqual([0, []]);
  });

  it('is not in the body of the prototype (measured: Object.assign of a parsed __proto__)', async () => {
    const [mine] = await start();
    await mine.login();
    const agent = test.agent();
    const body = `{"__proto__":{"pin":"${test.code()}"}}`;
    expect(seen(await agent.post('/login/pin').type('json').send(body))).toEqual(MALFORMED);
    expect(({} as { pin?: string }).pin).toBeUndefined();
  });
});
