import { describe, expect, it } from '@jest/globals';
import { type Answer, seen, visit, type Visit } from '../support/visit';
import { testClock } from '../support/clock';
import { tamperedStore, throwing } from '../support/tampered-store';
import type { TestApp } from '../support/test-app';
import { HOME, WORK, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

const BROKEN = new Error('the database is away');

type Call = 'list' | 'addUnconfirmed' | 'confirm' | 'replace' | 'remove' | 'setDefault';

function breakBook({ book }: TestApp, call: Call, how: () => unknown): void {
  Object.assign(book, { [call]: how });
}

describe('what the phone book throws', () => {
  it.each([
    ['list', '/phones/remove'],
    ['list', '/phones/default'],
    ['list', '/phones/enroll'],
    ['list', '/phones/replace'],
    ['addUnconfirmed', '/phones/enroll'],
    ['remove', '/phones/remove'],
    ['setDefault', '/phones/default'],
  ] as const)(
    "in %s goes to the app's error handler at %s, and nothing is sent or changed",
    async (call, path) => {
      for (const how of [() => Promise.reject(BROKEN), thrower]) {
        const test = await apps.start();
        test.book.seed('alice', HOME, WORK);
        const alice = visit(test);
        await alice.logIn();
        const body = { phone: NEW, phoneId: await alice.idOf(WORK) };
        const { sent } = test.sim.stats();
        const list = test.book.list.bind(test.book);
        breakBook(test, call, how);
        expect(seen(await alice.post(path, body))).toEqual([500, { code: null }]);
        expect(test.errors).toEqual([BROKEN]);
        expect([test.sim.stats().sent, test.ended]).toEqual([sent, []]);
        test.book.list = list;
        expect(numbersOf(test)).toEqual([HOME, WORK]);
      }
    },
  );

  it.each(['confirm', 'replace'] as const)(
    'in %s spends the code, and the number stays unproven',
    async (call) => {
      const test = await apps.start();
      const alice = visit(test);
      await alice.logIn();
      await (call === 'confirm' ? alice.enroll(NEW) : alice.replace(NEW));
      breakBook(test, call, thrower);
      expect((await alice.confirm(NEW)).status).toBe(500);
      expect([test.errors, test.ended]).toEqual([[BROKEN], []]);
      expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
      expect(seen(await alice.confirm(NEW))).toEqual([409, { error: 'already-verified' }]);
      expect((await alice.account()).status).toBe(200);
    },
  );

  it.each([undefined, null, 1, 'true', {}])(
    'nothing but true is a yes: %j is refused',
    async (answer) => {
      const test = await apps.start();
      test.book.seed('alice', HOME, WORK);
      const alice = visit(test);
      await alice.logIn();
      for (const call of ['confirm', 'remove', 'setDefault'] as const)
        breakBook(test, call, () => answer);
      await alice.enroll(NEW);
      const phoneId = await alice.idOf(WORK);
      expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
      expect((await alice.post('/phones/remove', { phoneId })).status).toBe(403);
      expect((await alice.post('/phones/default', { phoneId })).status).toBe(403);
      expect(
        test.events.some(({ type }) => type.startsWith('phone-') || type.startsWith('default-')),
      ).toBe(false);
      expect(test.ended).toEqual([]);
    },
  );
});

describe('what endOtherSessions throws', () => {
  it("goes to the app's error handler, and the number is changed all the same", async () => {
    const test = await apps.start({
      options: { endOtherSessions: () => Promise.reject(BROKEN) },
    });
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    expect((await alice.confirm(NEW)).status).toBe(500);
    expect([numbersOf(test), test.errors]).toEqual([[HOME, NEW], [BROKEN]]);
    expect((await alice.status()).body).toMatchObject({ pending: null, hasSecondFactor: true });
    expect((await alice.post('/phones/remove', { phoneId: await alice.idOf(HOME) })).status).toBe(
      500,
    );
    expect(numbersOf(test)).toEqual([NEW]);
  });
});

describe('a store that fails before everything else has ended', () => {
  it.each<
    [
      string,
      (alice: Visit) => Promise<Answer>,
      readonly string[],
      'phone-enrolled' | 'phone-removed',
    ]
  >([
    ['a new number', (alice) => alice.confirm(NEW), [HOME, NEW], 'phone-enrolled'],
    ['a removed number', remove, [HOME], 'phone-removed'],
  ])('leaves the change of %s, and the user is told', async (_what, change, left, told) => {
    const clock = testClock();
    const tampered = tamperedStore(clock);
    const test = await apps.start({ clock, options: { store: tampered.store } });
    if (told === 'phone-removed') test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    if (told === 'phone-enrolled') await alice.enroll(NEW);
    tampered.tamper('records.removeAll', throwing);

    expect(seen(await change(alice))).toEqual([503, { code: 'ERR_STORE' }]);
    expect(numbersOf(test)).toEqual(left);
    expect(test.told(told)).toHaveLength(1);
  });

  async function remove(alice: Visit): Promise<Answer> {
    return alice.post('/phones/remove', { phoneId: await alice.idOf(WORK) });
  }
});

describe('a session that cannot be written', () => {
  it('after the number was confirmed is an error, the change is told, and the other sessions are ended', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    test.sessions.failSets = true;
    expect(seen(await alice.confirm(NEW))).toEqual([503, { code: 'ERR_SESSION_STORE' }]);
    expect(numbersOf(test)).toEqual([HOME, NEW]);
    expect(test.events.filter(({ type }) => type === 'phone-enrolled')).toHaveLength(1);
    expect(test.ended).toHaveLength(1);
  });

  it('when the code goes out is an error, and the number stays unproven', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    test.sessions.setsToFail = 1;
    expect(seen(await alice.enroll(NEW))).toEqual([503, { code: 'ERR_SESSION_STORE' }]);
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
  });
});

describe.each(['A', 'B'] as const)('a gateway that fails, in variant %s,', (variant) => {
  it('when it shall send leaves the number unproven and the session as it is', async () => {
    const test = await apps.start({ variant });
    const alice = visit(test);
    await alice.logIn();
    test.sim.failNext('generate', 'html-502');
    expect((await alice.enroll(NEW)).status).toBe(502);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    expect((await alice.status()).body).toMatchObject({ pending: null, hasSecondFactor: true });
  });

  it('when it has judged the code leaves the number unproven: the code may be spent', async () => {
    const test = await apps.start({ variant });
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    test.sim.failNext('validate', { kind: 'reset', when: 'after' });
    expect((await alice.confirm(NEW)).status).toBe(502);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
    expect((await alice.status()).body).toMatchObject({ pending: null, notice: 'unconfirmed' });
    expect(test.ended).toEqual([]);
  });
});

function thrower(): never {
  throw BROKEN;
}
