import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ChallengeFactor,
  type FactorChallenged,
  type FactorResponse,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { testClock, type TestClock } from '../support/clock';
import { answering, tamperedStore, type TamperedStore } from '../support/tampered-store';
import { asTestUser, BOB, startTestApp } from '../support/test-app';
import { type Answer, visitOverTls } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const INVALID = [401, { error: 'invalid-code' }];
const EXPIRED = [401, { error: 'expired' }];

function brief({ status, body }: Answer): unknown[] {
  return [status, body];
}

/** What a user's security key answers. */
function sign(userId: string, challenge: unknown): { challenge: unknown; signature: string } {
  return {
    challenge,
    signature: createHmac('sha256', userId).update(String(challenge)).digest('hex'),
  };
}

/** Checks as a passkey's verification does: the challenge first, then who has signed it. */
function isSigned({ userId, challenge, response }: FactorResponse): boolean {
  const { challenge: signed, signature } = response as ReturnType<typeof sign>;
  return signed === challenge && signature === sign(userId, challenge).signature;
}

describe.each(['A', 'B'] as const)('A factor that answers a challenge, variant %s', (variant) => {
  const test = useOwnApps();
  const alice = visitOverTls(test);
  let made: FactorChallenged[];
  let checked: FactorResponse[];
  let check: (answered: FactorResponse) => unknown;
  let createOptions: ChallengeFactor['createOptions'];

  beforeEach(() => start());
  async function start({
    clock,
    store,
  }: { clock?: TestClock; store?: SmsOtpStore } = {}): Promise<void> {
    made = [];
    checked = [];
    check = isSigned;
    createOptions = ({ challenge, user }) => ({
      challenge,
      allowed: [`key of ${asTestUser(user).id}`],
    });
    const key = (name: string): ChallengeFactor => ({
      name,
      amr: 'hwk',
      field: 'response',
      isAvailable: () => true,
      createOptions: (challenged) => {
        made.push(challenged);
        return createOptions(challenged);
      },
      checkResponse: (answered) => {
        checked.push(answered);
        // Callbacks without types answer anything.
        return check(answered) as boolean;
      },
    });
    const card = { name: 'card', isAvailable: () => true, check: () => true };
    await test.start({
      hasFactors: true,
      variant,
      ...(clock && { clock }),
      options: { factors: [key('key'), key('spare'), card], ...(store && { store }) },
      routes: (app, smsOtp) => {
        for (const name of ['key', 'spare']) {
          const [options, verify] = [smsOtp.optionsWith?.(name), smsOtp.verifyWith?.(name)];
          if (options === undefined || verify === undefined) throw new Error('no factors');
          app.post(`/${name}/options`, options);
          app.post(
            `/${name}`,
            verify,
            (req, res) => void res.json({ ...req.smsOtp, authInfo: req.authInfo }),
          );
        }
        const transaction = (): { amount: string; payee: string } => ({
          amount: '1 EUR',
          payee: 'Bob',
        });
        app.post('/pay', smsOtp.stepUp({ transaction }), (req, res) => void res.json(req.smsOtp));
      },
    });
  }

  async function startTampered(): Promise<TamperedStore> {
    await test.close();
    const clock = testClock();
    const tampered = tamperedStore(clock);
    await start({ clock, store: tampered.store });
    return tampered;
  }

  const challengeOf = async (browser = alice, name = 'key'): Promise<unknown> => {
    const { status, body } = await browser.post(`/${name}/options`);
    expect(status).toBe(200);
    return body.challenge;
  };
  const respond = (response: unknown, browser = alice, name = 'key'): Promise<Answer> =>
    browser.post(`/${name}`, { response });
  /** A step-up of somebody who has logged in with the key. */
  const stepUp = async (): Promise<void> => {
    await alice.login();
    await respond(sign('alice', await challengeOf()));
    test.clock.advanceSeconds(31);
    expect((await alice.post('/step-up')).status).toBe(200);
  };
  const expectOut = async (browser = alice): Promise<void> => {
    expect((await browser.get('/account')).status).toBe(403);
  };

  it('logs in, with a challenge that is random and kept by the library', async () => {
    await alice.login();
    const seen = await alice.post('/key/options');
    const [first] = made;
    expect(seen.body).toEqual({ challenge: first?.challenge, allowed: ['key of alice'] });
    expect(Buffer.from(first?.challenge ?? '', 'base64url')).toHaveLength(32);
    expect(await challengeOf()).not.toBe(first?.challenge);

    const { challenge } = made[1] ?? {};
    const logged = await respond(sign('alice', challenge));
    expect(logged.body).toMatchObject({
      verified: true,
      method: 'key',
      authInfo: { amr: ['pwd', 'hwk'] },
    });
    const user = { id: 'alice', phone: '+12025550123' };
    const asked = {
      user,
      userId: 'alice',
      purpose: 'login',
      challenge,
      address: expect.any(String),
    };
    expect(made[1]).toEqual(asked);
    expect(checked).toEqual([{ ...asked, response: sign('alice', challenge) }]);
    expect((await alice.get('/account')).status).toBe(200);
    expect(test.sim.stats().calls.validate).toBe(0);
  });

  it('takes the response as the JSON text of a form field', async () => {
    await alice.login();
    expect((await respond(JSON.stringify(sign('alice', await challengeOf())))).status).toBe(200);
  });

  it('is good for a step-up', async () => {
    await stepUp();
    expect((await respond(sign('alice', await challengeOf()))).status).toBe(200);
    expect(made.at(-1)).toMatchObject({ purpose: 'step-up' });
  });

  it('approves no transaction, and makes no challenge for one', async () => {
    await alice.login();
    await respond(sign('alice', await challengeOf()));
    test.clock.advanceSeconds(31);
    await alice.post('/pay');
    expect(brief(await alice.post('/key/options'))).toEqual([401, { error: 'no-pending-login' }]);
    expect(made).toHaveLength(1);
  });

  it('forbids caches to keep a challenge', async () => {
    await alice.login();
    const answer = await test.agent().post('/key/options');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('makes no challenge without a pending login, and none for a factor whose codes are typed', async () => {
    expect(brief(await alice.post('/key/options'))).toEqual([401, { error: 'no-pending-login' }]);
    expect(made).toEqual([]);
    expect(() => test.smsOtp.optionsWith?.('card')).toThrow(
      'optionsWith: factors has none of that name with createOptions',
    );
  });

  it.each([
    ['nothing', undefined],
    ['a word', 'x'],
    ['a number', 1],
    ['null', null],
    ['JSON that is no object', '"x"'],
    ['a list', []],
    ['a list as the JSON text of a form field', '[{}]'],
    ['the JSON text of lists nested 5,000 deep', '['.repeat(5000) + ']'.repeat(5000)],
    ['more than 16,384 characters', { x: 'x'.repeat(16_384) }],
  ])('calls %s malformed: the challenge stays good', async (_what, response) => {
    await alice.login();
    const challenge = await challengeOf();
    expect(brief(await respond(response))).toEqual([400, { error: 'malformed-code' }]);
    expect(checked).toEqual([]);
    expect((await respond(sign('alice', challenge))).status).toBe(200);
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"x":', '}'],
  ])('calls %s nested 5,000 deep malformed: the challenge stays good', async (_what, open, end) => {
    await alice.login();
    const challenge = await challengeOf();
    // JSON.stringify of the test's own client gives up at such a depth.
    const nested = `${open.repeat(5000)}{}${end.repeat(5000)}`;
    expect(brief(await alice.post('/key', `{"response":${nested}}`))).toEqual([
      400,
      { error: 'malformed-code' },
    ]);
    expect(test.errors).toEqual([]);
    expect((await respond(sign('alice', challenge))).status).toBe(200);
  });

  it('takes a response of 16,384 characters', async () => {
    await alice.login();
    const response = { ...sign('alice', await challengeOf()), more: '' };
    const more = 'x'.repeat(16_384 - JSON.stringify(response).length);
    expect((await respond({ ...response, more })).status).toBe(200);
  });

  it('looks at one response a challenge, whatever it is worth', async () => {
    await alice.login();
    const challenge = await challengeOf();
    expect(brief(await respond(sign('mallory', challenge)))).toEqual(INVALID);
    expect(brief(await respond(sign('alice', challenge)))).toEqual(EXPIRED);
    expect(checked).toHaveLength(1);
    await expectOut();
  });

  it('looks at one of many responses that come at once', async () => {
    check = () => false;
    await alice.login();
    const response = sign('alice', await challengeOf());
    const answers = await Promise.all(Array.from({ length: 8 }, () => respond(response)));
    expect(answers.map(brief)).toContainEqual(INVALID);
    // The others have met the challenge while it was being taken, or have found none.
    for (const one of answers) expect([INVALID, EXPIRED]).toContainEqual(brief(one));
    expect(checked).toHaveLength(1);
  });

  it('looks at no response whose challenge another one has just taken', async () => {
    const tampered = await startTampered();
    await alice.login();
    const challenge = await challengeOf();
    tampered.tamper('records.remove', answering(false));
    expect(brief(await respond(sign('alice', challenge)))).toEqual(INVALID);
    expect(checked).toEqual([]);
    await expectOut();
  });

  it('stays open beside a wrong code and another text', async () => {
    await alice.login();
    const challenge = await challengeOf();
    expect(brief(await alice.enterWrong())).toEqual(INVALID);
    test.clock.advanceSeconds(67);
    expect((await alice.resend()).body).toMatchObject({ sent: true });
    expect((await respond(sign('alice', challenge))).status).toBe(200);
  });

  it('accepts nothing before a challenge was asked for', async () => {
    check = () => true;
    await alice.login();
    expect(brief(await respond(sign('alice', '')))).toEqual(EXPIRED);
    expect(checked).toEqual([]);
  });

  it('accepts nothing once the challenge is five minutes old', async () => {
    await alice.login();
    const challenge = await challengeOf();
    test.clock.advanceSeconds(300);
    expect(brief(await respond(sign('alice', challenge)))).toEqual(EXPIRED);
    expect(checked).toEqual([]);
    expect((await respond(sign('alice', await challengeOf()))).status).toBe(200);
  });

  it('accepts a response four minutes and 59 seconds later', async () => {
    await alice.login();
    const challenge = await challengeOf();
    test.clock.advanceSeconds(299);
    expect((await respond(sign('alice', challenge))).status).toBe(200);
  });

  it('accepts no challenge of another factor', async () => {
    await alice.login();
    const challenge = await challengeOf(alice, 'spare');
    expect(brief(await respond(sign('alice', challenge)))).toEqual(EXPIRED);
    expect(checked).toEqual([]);
  });

  it('shows the callback its own challenge, so that one of another pending login fits nothing', async () => {
    const elsewhere = test.browser();
    await elsewhere.login();
    const stolen = await challengeOf(elsewhere);
    await alice.login();
    const own = await challengeOf();
    expect(brief(await respond(sign('alice', stolen)))).toEqual(INVALID);
    expect(checked[0]).toMatchObject({ challenge: own });
    await expectOut();
  });

  it("accepts a login's challenge for no step-up", async () => {
    await alice.login();
    const challenge = await challengeOf();
    await alice.enterRight();
    test.clock.advanceSeconds(31);
    await alice.post('/step-up');
    expect(brief(await respond(sign('alice', challenge)))).toEqual(EXPIRED);
    expect(checked).toEqual([]);
  });

  it("accepts another user's key for nobody", async () => {
    await alice.login();
    expect(brief(await respond(sign('bob', await challengeOf())))).toEqual(INVALID);
    const bob = test.browser(BOB);
    await bob.login();
    expect((await respond(sign('bob', await challengeOf(bob)), bob)).status).toBe(200);
  });

  it('lets in once for one pending login', async () => {
    check = () => true;
    await alice.login();
    await challengeOf();
    const answers = await Promise.all([respond({}), respond({}), respond({})]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('leaves no mark of a login that it has passed, because no response comes twice', async () => {
    const tampered = await startTampered();
    await alice.login();
    expect((await respond(sign('alice', await challengeOf()))).status).toBe(200);
    const finishes = tampered.calls.filter(({ call }) => call === 'finish');
    expect(finishes.map(({ given }) => given[1])).toMatchObject([{ leavesMark: false }]);
  });

  it('looks at five wrong responses in one login, and counts none of them as a failure', async () => {
    check = () => false;
    await alice.login();
    for (let time = 0; time < 6; time += 1)
      expect(brief(await respond(sign('alice', await challengeOf())))).toEqual(INVALID);
    expect(checked).toHaveLength(5);
    const reasons = test.told('rejected').map(({ reason }) => reason);
    expect(reasons).toEqual([...Array<string>(4).fill('wrong-code'), 'too-many-attempts']);
    expect(test.told('failure-count-changed')).toEqual([]);
  });

  it.each([false, undefined, 1, 'true', {}])('takes %p for a no', async (given) => {
    check = () => given;
    await alice.login();
    await challengeOf();
    expect(brief(await respond({}))).toEqual(INVALID);
    await expectOut();
  });

  it('hands what a callback throws to the app, and goes on with the next challenge', async () => {
    createOptions = () => Promise.reject(new Error('the key register is broken'));
    await alice.login();
    expect((await alice.post('/key/options')).status).toBe(500);
    createOptions = ({ challenge }) => ({ challenge });
    check = () => Promise.reject(new Error('the key register is broken'));
    const challenge = await challengeOf();
    expect((await respond({})).status).toBe(500);
    expect(test.errors).toEqual([
      new Error('the key register is broken'),
      new Error('the key register is broken'),
    ]);
    check = isSigned;
    expect(brief(await respond(sign('alice', challenge)))).toEqual(EXPIRED);
    expect((await respond(sign('alice', await challengeOf()))).status).toBe(200);
  });

  it('makes no challenge for a user who is gone, or whose login was cancelled', async () => {
    await alice.login();
    const { users } = test;
    const user = users.get('alice');
    users.delete('alice');
    expect(brief(await alice.post('/key/options'))).toEqual([401, { error: 'no-pending-login' }]);
    if (user !== undefined) users.set('alice', user);
    test.clock.advanceSeconds(31);
    await alice.login();
    await alice.post('/login/cancel');
    expect(brief(await alice.post('/key/options'))).toEqual([401, { error: 'no-pending-login' }]);
    expect(made).toEqual([]);
  });

  it('shows no challenge in the status of the session', async () => {
    await alice.login();
    const challenge = await challengeOf();
    const { body } = await alice.get('/status');
    expect(body).toMatchObject({ pending: { factors: expect.arrayContaining(['key', 'card']) } });
    expect(JSON.stringify(body.pending)).not.toContain(challenge);
  });

  it('fails where the store does not say whether it was the first response', async () => {
    const tampered = await startTampered();
    await alice.login();
    const challenge = await challengeOf();
    tampered.tamper('records.remove', answering('yes'));
    expect((await respond(sign('alice', challenge))).status).toBe(503);
    expect(checked).toEqual([]);
  });

  it.each([['createOptions'], ['checkResponse'], ['check', 'createOptions', 'checkResponse'], []])(
    'is refused as an option with the callbacks %p %p %p',
    async (...callbacks) => {
      const factor = Object.fromEntries([
        ['name', 'key'],
        ...callbacks.map((name) => [name, () => ({})]),
      ]) as unknown;
      // What is wrong here is what the compiler would say.
      const options = { factors: [factor as ChallengeFactor] };
      const message = /^createSmsOtp: factors.*createOptions and checkResponse/;
      await expect(startTestApp({ hasFactors: true, variant, options })).rejects.toThrow(message);
    },
  );
});
