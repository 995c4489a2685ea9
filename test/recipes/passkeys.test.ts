import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { memoryPasskeyBook } from '../../docs/recipes/passkey-book';
import type { PasskeyOptions, PasskeyRefusal } from '../../docs/recipes/passkeys';
import { createApp } from '../../docs/recipes/passkeys-app';
import { Authenticator, type Written } from '../support/authenticator';
import { testClock } from '../support/clock';
import { type RecipeSite, useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const ORIGIN = 'https://bank.example';
/** As in 22 Nov 2026. */
const DATE = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
const INVALID = [401, { error: 'invalid-code' }];

type Agent = ReturnType<RecipeSite['agent']>;

describe('the recipe for passkeys', () => {
  const clock = testClock(Date.UTC(2026, 10, 22, 12));
  const refusals: PasskeyRefusal[] = [];
  const book = memoryPasskeyBook();
  const textsOff = new Set<string>();
  const passkeys: PasskeyOptions = {
    rpId: 'bank.example',
    origin: ORIGIN,
    requireUserVerification: true,
    onRefused: (refusal) => refusals.push(refusal),
    now: clock.now,
  };
  const site = useRecipe('A', (parts) => createApp({ ...parts, book, textsOff, passkeys }));
  // The next test begins a week later, without passkeys.
  afterEach(async () => {
    for (const id of ['alice', 'bob']) {
      for (const passkey of await book.list(id)) await book.remove(id, passkey.id);
    }
    textsOff.clear();
    refusals.length = 0;
    clock.advanceSeconds(7 * 86_400);
  });

  async function post(
    agent: Agent,
    path: string,
    body: object = {},
  ): Promise<[status: number, body: unknown]> {
    const answer = await agent.post(path).send(body);
    return [answer.status, answer.body];
  }

  /** Logs in with a texted code and adds a passkey. */
  async function enroll(id = 'alice', device = new Authenticator(ORIGIN)): Promise<Authenticator> {
    const agent = site.agent();
    await post(agent, '/login', passwordOf(id));
    await post(agent, '/login/pin', { pin: site.code(id) });
    const [, options] = await post(agent, '/settings/passkeys/options');
    const credential = device.create(options as Parameters<Authenticator['create']>[0]);
    const [status] = await post(agent, '/settings/passkeys', { credential });
    expect(status).toBe(201);
    return device;
  }

  /** A session that has given the password, and the options for the passkey. */
  async function begin(agent = site.agent(), id = 'alice'): Promise<Agent> {
    expect(await post(agent, '/login', passwordOf(id))).toMatchObject([
      200,
      { pending: { isSent: false } },
    ]);
    return agent;
  }

  async function optionsOf(agent: Agent): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const [status, options] = await post(agent, '/login/passkey/options');
    expect(status).toBe(200);
    return options as PublicKeyCredentialRequestOptionsJSON;
  }

  const respond = (agent: Agent, credential: unknown) =>
    post(agent, '/login/passkey', { credential });

  async function isLoggedIn(agent: Agent): Promise<boolean> {
    const { status } = await agent.get('/account');
    return status === 200;
  }

  /**
   * The session of an attack is not logged in, and the honest response to the next challenge logs
   * it in.
   */
  async function expectOnlyHonest(agent: Agent, device: Authenticator): Promise<void> {
    expect(await isLoggedIn(agent)).toBe(false);
    const [status] = await respond(agent, device.get(await optionsOf(agent)));
    expect([status, await isLoggedIn(agent)]).toEqual([200, true]);
  }

  /** Logs in with the passkey. */
  async function logIn(device: Authenticator): Promise<Agent> {
    const agent = await begin();
    const [status] = await respond(agent, device.get(await optionsOf(agent)));
    expect(status).toBe(200);
    return agent;
  }

  describe('a passkey', () => {
    it('is added behind a fresh second factor, logs in, and confirms a step-up, without a text', async () => {
      const today = new Date(clock.now()).toLocaleDateString('en-GB', DATE);
      const device = await enroll();
      const texts = site.sim.outbox.length;
      const agent = await begin();
      const options = await optionsOf(agent);
      expect(options).toMatchObject({
        rpId: 'bank.example',
        userVerification: 'required',
        allowCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
      });
      expect(await respond(agent, device.get(options))).toMatchObject([
        200,
        { verified: { method: 'passkey' } },
      ]);
      const first = await agent.get('/account');
      expect(first.body).toMatchObject({ id: 'alice', method: 'passkey' });
      clock.advanceSeconds(301);
      expect(await post(agent, '/settings/passkeys/options')).toEqual([
        403,
        { error: 'second-factor-too-old' },
      ]);
      await post(agent, '/step-up');
      expect(await respond(agent, device.get(await optionsOf(agent)))).toMatchObject([
        200,
        { pending: null },
      ]);
      expect((await agent.get('/settings/passkeys')).body).toEqual([
        { id: device.id, name: `Passkey of ${today}` },
      ]);
      expect(site.sim.outbox).toHaveLength(texts);
    });

    it('logs in as the text of a hidden input of a form does', async () => {
      const device = await enroll();
      const agent = await begin();
      const [status] = await respond(agent, JSON.stringify(device.get(await optionsOf(agent))));
      expect([status, await isLoggedIn(agent)]).toEqual([200, true]);
    });

    it('is named and removed by its owner alone', async () => {
      const device = await enroll();
      const mine = await logIn(device);
      await enroll('bob', new Authenticator(ORIGIN));
      const other = site.agent();
      await post(other, '/login', passwordOf('carol'));
      await post(other, '/login/pin', { pin: site.code('carol') });
      const { id } = device;
      expect((await post(other, '/settings/passkeys/rename', { id, name: 'Mine now' }))[0]).toBe(
        404,
      );
      expect((await post(other, '/settings/passkeys/remove', { id }))[0]).toBe(404);
      expect((await post(mine, '/settings/passkeys/rename', { id, name: '  ' }))[0]).toBe(404);
      for (const odd of [{ toString: 1 }, null, [id]]) {
        const named = { id: odd, name: 'Mine' };
        expect((await post(mine, '/settings/passkeys/rename', named))[0]).toBe(404);
        expect((await post(mine, '/settings/passkeys/remove', { id: odd }))[0]).toBe(404);
      }
      expect((await post(mine, '/settings/passkeys/rename', { id, name: ' Laptop ' }))[0]).toBe(
        204,
      );
      expect((await mine.get('/settings/passkeys')).body).toEqual([{ id, name: 'Laptop' }]);
      expect((await post(mine, '/settings/passkeys/remove', { id }))[0]).toBe(204);
      expect((await mine.get('/settings/passkeys')).body).toEqual([]);
      // Nothing else is left: the next login is texted.
      clock.advanceSeconds(60);
      expect(await post(site.agent(), '/login', passwordOf('alice'))).toMatchObject([
        200,
        { pending: { isSent: true } },
      ]);
    });

    it('is added once, to one challenge, by the session that asked for it, and by whom the device has verified', async () => {
      const device = await enroll();
      const agent = await logIn(device);
      const newOptions = async () => {
        const [status, options] = await post(agent, '/settings/passkeys/options');
        expect(status).toBe(200);
        return options as Parameters<Authenticator['create']>[0];
      };
      const add = (credential: unknown) => post(agent, '/settings/passkeys', { credential });
      const refused = [400, { error: 'not-added' }];
      const options = await newOptions();
      expect(options).toMatchObject({
        excludeCredentials: [{ id: device.id }],
        attestation: 'none',
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      });
      const next = new Authenticator(ORIGIN);
      expect((await add(next.create(options)))[0]).toBe(201);
      expect(await add(next.create(options))).toEqual(refused);
      expect(await add(new Authenticator(ORIGIN).create(options))).toEqual(refused);
      expect(await add(device.create(await newOptions()))).toEqual(refused);
      const attacks: Partial<Written>[] = [
        { origin: 'https://bank.example.attacker.example' },
        { rpId: 'attacker.example' },
        { challenge: 'AAAA' },
        { isUserVerified: false },
        { type: 'webauthn.get' },
      ];
      for (const attack of attacks) {
        expect(await add(new Authenticator(ORIGIN).create(await newOptions(), attack))).toEqual(
          refused,
        );
      }
      const late = await newOptions();
      clock.advanceSeconds(300);
      await post(agent, '/step-up');
      await respond(agent, device.get(await optionsOf(agent)));
      expect(await add(new Authenticator(ORIGIN).create(late))).toEqual(refused);
      for (const odd of [undefined, null, 7, 'text', [], {}, { id: {} }]) {
        await newOptions();
        expect(await add(odd)).toEqual(refused);
      }
      expect((await agent.get('/settings/passkeys')).body).toHaveLength(2);
    });
  });

  describe('an attack on a login by passkey is refused, and logs nobody in:', () => {
    let device: Authenticator;
    let agent: Agent;

    beforeEach(async () => {
      device = await enroll();
      agent = await begin();
    });

    it('1. a response for another origin', async () => {
      for (const origin of [
        'https://bank.example.attacker.example',
        'http://bank.example',
        `${ORIGIN}:8443`,
      ]) {
        expect(await respond(agent, device.get(await optionsOf(agent), { origin }))).toEqual(
          INVALID,
        );
      }
      expect(refusals.map(({ reason }) => reason)).toEqual([
        'not-verified',
        'not-verified',
        'not-verified',
      ]);
      expect(refusals[0]?.detail).toContain('origin');
      await expectOnlyHonest(agent, device);
    });

    it('2. a response for another relying party', async () => {
      const rpId = 'attacker.example';
      expect(await respond(agent, device.get(await optionsOf(agent), { rpId }))).toEqual(INVALID);
      await expectOnlyHonest(agent, device);
    });

    it('3. another user’s passkey, also under the name of this one', async () => {
      const stranger = await enroll('bob', new Authenticator(ORIGIN));
      expect(await respond(agent, stranger.get(await optionsOf(agent)))).toEqual(INVALID);
      expect(refusals).toEqual([{ userId: 'alice', reason: 'not-their-passkey' }]);
      const renamed = { ...stranger.get(await optionsOf(agent)), id: device.id, rawId: device.id };
      expect(await respond(agent, renamed)).toEqual(INVALID);
      const userHandle = Buffer.from('somebody else').toString('base64url');
      expect(await respond(agent, device.get(await optionsOf(agent), { userHandle }))).toEqual(
        INVALID,
      );
      await expectOnlyHonest(agent, device);
    });

    it('4. a response that has logged in before, replayed in its session and in a new login', async () => {
      const response = device.get(await optionsOf(agent));
      expect((await respond(agent, response))[0]).toBe(200);
      const second = site.agent();
      expect(await respond(second, response)).toEqual([401, { error: 'no-pending-login' }]);
      await begin(second);
      expect(await respond(second, response)).toEqual([401, { error: 'expired' }]);
      await optionsOf(second);
      expect(await respond(second, response)).toEqual(INVALID);
      await expectOnlyHonest(second, device);
    });

    it('5. a response to a challenge that has been answered', async () => {
      const options = await optionsOf(agent);
      expect(
        await respond(agent, device.get(options, { origin: 'https://attacker.example' })),
      ).toEqual(INVALID);
      const [status] = await respond(agent, device.get(options));
      expect(status).toBe(401);
      await expectOnlyHonest(agent, device);
    });

    it('6. the challenge of another pending login, of the same user', async () => {
      const elsewhere = await begin();
      const options = await optionsOf(elsewhere);
      await optionsOf(agent);
      expect(await respond(agent, device.get(options))).toEqual(INVALID);
      await expectOnlyHonest(agent, device);
    });

    it('7. the challenge of a step-up, in a login', async () => {
      const inside = await logIn(device);
      await post(inside, '/step-up');
      const options = await optionsOf(inside);
      await optionsOf(agent);
      expect(await respond(agent, device.get(options))).toEqual(INVALID);
      await expectOnlyHonest(agent, device);
    });

    it('8. an expired challenge', async () => {
      const options = await optionsOf(agent);
      clock.advanceSeconds(300);
      expect(await respond(agent, device.get(options))).toEqual([401, { error: 'expired' }]);
      await expectOnlyHonest(agent, device);
    });

    it('9. a tampered signature', async () => {
      const { response, ...rest } = device.get(await optionsOf(agent));
      const bytes = Buffer.from(response.signature, 'base64url');
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      const signature = bytes.toString('base64url');
      expect(await respond(agent, { ...rest, response: { ...response, signature } })).toEqual(
        INVALID,
      );
      await expectOnlyHonest(agent, device);
    });

    it('10. tampered client data, and tampered authenticator data', async () => {
      const withResponse = (
        { response, ...rest }: AuthenticationResponseJSON,
        changed: object,
      ) => ({
        ...rest,
        response: { ...response, ...changed },
      });
      const first = device.get(await optionsOf(agent));
      const clientData = JSON.parse(
        Buffer.from(first.response.clientDataJSON, 'base64url').toString(),
      );
      // The same facts in other words: only the signature can tell.
      const clientDataJSON = Buffer.from(JSON.stringify({ ...clientData, extra: 1 })).toString(
        'base64url',
      );
      expect(await respond(agent, withResponse(first, { clientDataJSON }))).toEqual(INVALID);
      const second = device.get(await optionsOf(agent), { isUserVerified: false });
      const bytes = Buffer.from(second.response.authenticatorData, 'base64url');
      bytes.writeUInt8(bytes.readUInt8(32) | 0x04, 32);
      const authenticatorData = bytes.toString('base64url');
      expect(await respond(agent, withResponse(second, { authenticatorData }))).toEqual(INVALID);
      expect(refusals.map(({ detail }) => detail)).toEqual(
        Array(2).fill('The signature is not right'),
      );
      await expectOnlyHonest(agent, device);
    });

    it('11. no user verification where it is demanded', async () => {
      expect(
        await respond(agent, device.get(await optionsOf(agent), { isUserVerified: false })),
      ).toEqual(INVALID);
      expect(refusals[0]?.detail).toContain('User verification required');
      await expectOnlyHonest(agent, device);
    });

    it('12. a counter that stands still or falls, which the app is told', async () => {
      device.counter = 7;
      expect((await respond(agent, device.get(await optionsOf(agent))))[0]).toBe(200);
      const copy = await begin();
      for (const counter of [8, 7, 0]) {
        expect(await respond(copy, device.get(await optionsOf(copy), { counter }))).toEqual(
          INVALID,
        );
      }
      expect(refusals).toEqual(Array(3).fill({ userId: 'alice', reason: 'counter-fell' }));
      // What nobody has signed tells nothing about a counter.
      const forged = new Authenticator(ORIGIN).get(await optionsOf(copy), {
        counter: 1,
        userHandle: '',
      });
      expect(await respond(copy, { ...forged, id: device.id, rawId: device.id })).toEqual(INVALID);
      expect(refusals.at(-1)?.reason).toBe('not-verified');
      await expectOnlyHonest(copy, device);
    });

    it('what is no response at all', async () => {
      for (const odd of [{}, { id: device.id }, { id: device.id, response: null }]) {
        await optionsOf(agent);
        expect(await respond(agent, odd)).toEqual(INVALID);
      }
      expect(await respond(agent, [])).toEqual([400, { error: 'malformed-code' }]);
      await expectOnlyHonest(agent, device);
    });
  });

  it('counts each use of a counting device once, however many responses come together', async () => {
    const device = await enroll();
    device.counter = 1;
    const agents = await Promise.all([begin(), begin(), begin()]);
    const options = await Promise.all(agents.map(optionsOf));
    const responses = options.map((one) => device.get(one, { counter: 5 }));
    const answers = await Promise.all(agents.map((one, index) => respond(one, responses[index])));
    expect(answers.map(([status]) => status).sort()).toEqual([200, 401, 401]);
  });

  describe('a user with texts switched off', () => {
    it('is never texted, by login, step-up or when asking for a text, and comes back with a recovery code', async () => {
      const device = await enroll();
      const agent = await logIn(device);
      expect((await post(agent, '/settings/text-off'))[0]).toBe(409);
      const [code] = (await post(agent, '/settings/recovery-codes'))[1] as string[];
      expect((await post(agent, '/settings/text-off'))[0]).toBe(204);
      const texts = site.sim.outbox.length;
      clock.advanceSeconds(86_400);
      const next = await begin();
      expect(await post(next, '/login/resend')).toEqual([403, { error: 'denied' }]);
      expect((await respond(next, device.get(await optionsOf(next))))[0]).toBe(200);
      await post(next, '/step-up');
      expect(await post(next, '/login/resend')).toEqual([403, { error: 'denied' }]);
      expect((await respond(next, device.get(await optionsOf(next))))[0]).toBe(200);
      const back = await begin();
      expect((await post(back, '/login/recover', { recoveryCode: code }))[0]).toBe(200);
      expect(await isLoggedIn(back)).toBe(true);
      expect(site.sim.outbox).toHaveLength(texts);
      // The lost passkey is removed: there is nothing better than a text any more.
      expect((await post(back, '/settings/passkeys/remove', { id: device.id }))[0]).toBe(204);
      clock.advanceSeconds(86_400);
      expect(await post(site.agent(), '/login', passwordOf('alice'))).toMatchObject([
        200,
        { pending: { isSent: true } },
      ]);
    });
  });

  describe('with the gateway away for the whole time', () => {
    // The gateway of this app does not come back: the tests after it need another one.
    afterAll(() => site.start());

    it('a user with a passkey and a user with a recovery code log in and step up', async () => {
      const device = await enroll();
      const setup = await logIn(device);
      const codes = await post(setup, '/settings/recovery-codes');
      const [code, next] = codes[1] as string[];
      await site.sim.close();
      clock.advanceSeconds(3_600);
      const byPasskey = await logIn(device);
      await post(byPasskey, '/step-up');
      expect((await respond(byPasskey, device.get(await optionsOf(byPasskey))))[0]).toBe(200);
      const byCode = await begin();
      expect((await post(byCode, '/login/recover', { recoveryCode: code }))[0]).toBe(200);
      expect((await byCode.get('/account')).body).toMatchObject({
        id: 'alice',
        method: 'recovery-code',
      });
      await post(byCode, '/step-up');
      expect((await post(byCode, '/login/recover', { recoveryCode: next }))[0]).toBe(200);
      // Nothing but a text is beyond reach.
      const texted = site.agent();
      const [status] = await post(texted, '/login', passwordOf('frank'));
      expect([status, await isLoggedIn(texted)]).toEqual([503, false]);
    });
  });
});
