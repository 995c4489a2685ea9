import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RequestHandler } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { createSmsOtp, memoryStore } from 'passport-sms-otp';
import { ALICE, asUser, type TestApp, type TestUser } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { giveCode, givePassword } from './support/steps';

const CODE = 'SMS_OTP_LOAD_USER_FIELDS';
const HASH = 'canary-hash';
const WITH_HASH = { ...ALICE, passwordHash: HASH };

/** A document whose columns are getters of its class, as Mongoose makes them. */
class Document {
  private readonly _doc: object;

  constructor(columns: TestUser & { readonly passwordHash?: string }, inner: object = {}) {
    this._doc = columns;
    Object.assign(this, inner);
  }

  get id(): string {
    return (this._doc as TestUser).id;
  }

  get phone(): string | null {
    return (this._doc as TestUser).phone;
  }
}

/** An entity whose columns are its own, as TypeORM makes them. */
class Row {
  readonly table = 'users';

  constructor(columns: object) {
    Object.assign(this, columns);
  }
}

const withoutPrototype = (columns: object): object =>
  Object.assign(Object.create(null) as object, columns);

/** Throws where a value is read. */
const withGetter = (): object =>
  Object.defineProperty({ ...ALICE }, 'balance', {
    enumerable: true,
    get: () => {
      throw new Error('no one may read this');
    },
  });

describe('a user of loadUser', () => {
  const apps = useOwnApps();
  const { NODE_ENV } = process.env;
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      if ((Object(options) as { code?: string }).code === CODE) warnings.push(String(message));
    });
  });
  afterEach(() => {
    process.env.NODE_ENV = NODE_ENV;
    jest.restoreAllMocks();
  });

  /** An app whose first factor passes one object for Alice, and whose loadUser returns another. */
  const start = (first: object, loaded: object): Promise<TestApp> =>
    apps.start({
      users: [first as TestUser],
      options: { loadUser: () => asUser(loaded as TestUser) },
    });

  async function enter(test: TestApp): Promise<void> {
    const agent = test.agent();
    await givePassword(agent);
    expect((await giveCode(test, agent)).status).toBe(200);
    test.clock.advanceSeconds(61);
  }

  /** The object passes through no copy on the way to `req.user`. */
  function startWith(first: object, loaded: object): Promise<TestApp> {
    return apps.start({
      options: { loadUser: () => asUser(loaded as TestUser) },
      routes: (app, smsOtp) => {
        const giveUser: RequestHandler = (req, _res, next) => {
          Object.assign(req, { user: first, authInfo: {} });
          next();
        };
        const answer: RequestHandler = (_req, res) => void res.json({});
        app.post('/first', giveUser, smsOtp.send(), answer);
        app.post('/second', smsOtp.verify(), answer);
      },
    });
  }

  async function enterBy(test: TestApp): Promise<void> {
    const agent = test.agent();
    expect((await agent.post('/first')).status).toBe(200);
    expect((await agent.post('/second').send({ pin: test.code() })).status).toBe(200);
  }

  it('warns once of fields that the user of the first factor did not have, by their names alone', async () => {
    const test = await start(ALICE, { ...ALICE, passwordHash: HASH, resetToken: HASH });
    for (const _time of [1, 2]) await enter(test);
    expect(warnings).toEqual([expect.stringContaining('passwordHash, resetToken')]);
    expect(warnings[0]).toContain('becomes req.user');
    expect(warnings[0]).toContain(`docs/troubleshooting.md#${CODE.toLowerCase()}`);
    expect(warnings[0]).not.toContain('canary');
  });

  it.each<[string, object, object]>([
    ['were set to undefined', { ...ALICE, passwordHash: undefined }, WITH_HASH],
    ['are in an instance of the same class', new Row(ALICE), new Row(WITH_HASH)],
    ['are in an object without a prototype', withoutPrototype(ALICE), WITH_HASH],
  ])('warns where the fields of the first factor %s', async (_title, first, loaded) => {
    await enterBy(await startWith(first, loaded));
    expect(warnings).toEqual([expect.stringContaining('have: passwordHash.')]);
  });

  it.each<[string, object, object]>([
    ['has the same fields', ALICE, { ...ALICE }],
    ['has fewer', { ...ALICE, email: 'a@bank.example' }, ALICE],
    ['has more that are undefined', ALICE, { ...ALICE, nickname: undefined }],
    ['is of another class', ALICE, new Row(WITH_HASH)],
    ['is a plain object after a document', new Document(ALICE), WITH_HASH],
    ['is a document with other inner fields', new Document(ALICE), new Document(ALICE, { $x: 1 })],
    ['has a getter', ALICE, withGetter()],
    ['has names that may be data', ALICE, { ...ALICE, '+12025550199': 1, 'a@bank.example': 1 }],
  ])('does not warn when it %s', async (_title, first, loaded) => {
    const test = await startWith(first, loaded);
    await enterBy(test);
    expect(warnings).toEqual([]);
  });

  it('is not looked at in production', async () => {
    const test = await apps.start({
      options: { loadUser: () => asUser(WITH_HASH) },
      store: () => {
        // The simulator, which refuses production, has started.
        process.env.NODE_ENV = 'production';
        return memoryStore();
      },
    });
    process.env.NODE_ENV = NODE_ENV;
    await enter(test);
    expect(warnings).toEqual([]);
  });

  it('is compared with the user of the same login alone', async () => {
    const email = 'b@bank.example';
    const users = [
      { ...ALICE, id: 'bob', phone: '+12025550124' },
      { ...ALICE, email },
    ];
    const test = await apps.start({
      users,
      options: { loadUser: (id) => asUser(users.find((user) => user.id === id)) },
    });
    await enter(test);
    const agent = test.agent();
    await givePassword(agent, users[0]);
    await giveCode(test, agent, users[0]);
    expect(warnings).toEqual([]);
  });

  it('is not compared in a process that has not seen the first factor', async () => {
    const store = memoryStore();
    const test = await apps.start({
      options: { store, now: Date.now, loadUser: () => asUser(WITH_HASH) },
      routes: (app, _smsOtp, _passport, options) => {
        // Its types have no class that can be called.
        const passport = new (Passport as unknown as new () => PassportStatic)();
        passport.serializeUser((_user, done) => done(null, ALICE.id));
        const other = createSmsOtp({ ...options, passport });
        app.post('/other', other.verify(), (_req, res) => void res.json({}));
      },
    });
    const agent = test.agent();
    await givePassword(agent);
    await agent.post('/other').send({ pin: test.code() }).expect(200);
    expect(warnings).toEqual([]);
  });

  it('is compared on a trusted device, too', async () => {
    let loaded: object = ALICE;
    const test = await apps.start({
      hasFactors: true,
      options: { loadUser: () => asUser(loaded as TestUser) },
    });
    const browser = test.browser();
    await browser.trust();
    browser.leave();
    loaded = WITH_HASH;
    expect((await browser.login()).body).toMatchObject({ method: 'trusted-device' });
    expect(warnings).toEqual([expect.stringContaining('passwordHash')]);
  });
});
