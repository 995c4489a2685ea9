import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import { BOB } from '../support/test-app';
import { giveCode, givePassword, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

const VALUES: [string, unknown][] = [
  ['a number', 123456],
  ['an array, of which a regular expression says that it matches', ['123456']],
  ['an object', { $gt: '' }],
  ['an object that turns itself into a code', { toString: '123456', length: 6 }],
  ['null', null],
  ['a boolean', true],
  ['an empty text', ''],
  ['spaces', '      '],
  ['a letter O among the digits', '12345O'],
  ['three digits', '123'],
  ['eleven digits', '12345678901'],
  ['eleven digits of another script', '１２３４５６７８９０１'],
  ['a text of one megabyte', '1'.repeat(1_000_000)],
  ['a text of one megabyte of spaces', ' '.repeat(1_000_000)],
  ['a control character', '12345\u0000'],
  ['two leading marks', '##123456'],
];

const BODIES: [string, string, string][] = [
  ['no body', JSON_TYPE, ''],
  ['an empty object', JSON_TYPE, '{}'],
  ['an array', JSON_TYPE, '["123456"]'],
  ['another content type, for which Express 5 has body undefined', 'text/plain', 'pin=123456'],
  ['no content type that is known', 'application/x-unknown', '123456'],
  ['the field twice', FORM, 'pin=123456&pin=123456'],
  ['the field as an object', FORM, 'pin[a]=123456'],
  ['the field as a list', FORM, 'pin[]=123456'],
  ['the field below __proto__', FORM, '__proto__[pin]=123456'],
  ['the field below constructor.prototype', FORM, 'constructor[prototype][pin]=123456'],
  ['__proto__ as an own member', JSON_TYPE, '{"__proto__":{"pin":"123456"}}'],
  ['__proto__ as the code', JSON_TYPE, '{"pin":{"__proto__":"123456"}}'],
];

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('a body without a code, in %s', (_version, createApp) => {
  let agent: Agent;
  let validates = 0;
  const test = useSharedApp({ createApp, middleware: addPollutionCheck });
  beforeAll(async () => {
    agent = test.agent();
    await givePassword(agent);
  });
  beforeEach(() => {
    validates = test.sim.stats().calls.validate;
  });

  /**
   * Nothing that was sent may show on objects that were not sent; and a body that only inherits
   * what was sent.
   */
  function addPollutionCheck(app: Express): void {
    app.use((req, res, next) => {
      if (req.path === '/login/pin' && 'heir' in req.query)
        req.body = Object.create(req.body as object);
      if ('pin' in {} || 'mfa' in {}) res.status(599).end();
      else next();
    });
  }

  it.each(VALUES)('with %s in it is 400, and the gateway hears nothing', async (_title, pin) => {
    const answer = await agent.post('/login/pin').send({ pin });
    expect([answer.status, answer.body]).toEqual([400, { error: 'malformed-code' }]);
    expect(test.sim.stats().calls.validate).toBe(validates);
  });

  it.each(BODIES)(
    'that is %s is 400, and the gateway hears nothing',
    async (_title, type, body) => {
      const answer = await agent.post('/login/pin').set('Content-Type', type).send(body);
      expect([answer.status, answer.body]).toEqual([400, { error: 'malformed-code' }]);
      expect(test.sim.stats().calls.validate).toBe(validates);
    },
  );

  it('of any JSON is 400, and the gateway hears nothing', async () => {
    const noCode = fc
      .jsonValue()
      .filter((value) => typeof value !== 'string' || !/\p{Nd}/u.test(value));
    await fc.assert(
      fc.asyncProperty(noCode, async (pin) => {
        const answer = await agent.post('/login/pin').send({ pin });
        expect(answer.status).toBe(400);
      }),
      { numRuns: 60 },
    );
    expect(test.sim.stats().calls.validate).toBe(validates);
  });

  it('reads the code from the body alone, never from the query', async () => {
    const answer = await agent.post(`/login/pin?pin=${test.code()}`);
    expect(answer.status).toBe(400);
  });

  it('that inherits a code has none of its own', async () => {
    const answer = await agent.post('/login/pin?heir').send({ pin: test.code() });
    expect(answer.status).toBe(400);
  });

  it('has cost no attempt: the right code is still good, and __proto__ beside it is harmless', async () => {
    const own = test.agent();
    await givePassword(own, BOB);
    for (const [, pin] of VALUES) await own.post('/login/pin').send({ pin });
    for (const [, type, sent] of BODIES)
      await own.post('/login/pin').set('Content-Type', type).send(sent);
    const body = `{"pin":"${test.code(BOB)}","__proto__":{"mfa":true},"constructor":{"prototype":{"mfa":true}}}`;
    const answer = await own.post('/login/pin').set('Content-Type', JSON_TYPE).send(body);
    expect([answer.status, answer.body]).toMatchObject([200, { verified: true }]);
    expect((await own.get('/account')).body).toEqual({ id: BOB.id });
  });

  it('is 400 before anything else is looked at, and a well-formed one without a pending login is 401', async () => {
    const stranger = test.agent();
    expect((await stranger.post('/login/pin').send({})).status).toBe(400);
    const answer = await giveCode(test, stranger);
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
  });
});
