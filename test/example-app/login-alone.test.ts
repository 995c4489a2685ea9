import { afterEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { wrongCode } from '../support/visit';
import { endChild, startChild, type ChildSite } from './child-site';

/** The code in the newest text of the simulator that the process has started. */
async function readInbox(inbox: string): Promise<{ readonly pin: string; readonly id: string }> {
  const messages = (await (await fetch(`${inbox}/messages`)).json()) as {
    pin: string;
    id: string;
  }[]; // the simulator's own form
  return messages[0] ?? { pin: '', id: '' };
}

describe('the login in one file', () => {
  let child: ChildSite;
  let agent: ReturnType<typeof request.agent>;
  let inbox: string;

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const SECRETS = {
      SESSION_SECRET: 'a secret',
      SMS_OTP_SECRET: 'a secret of the tests, long enough to be one',
    };
    child = startChild({ ...SECRETS, ...settings }, [], 'example-app/login.ts');
    const address = await child.address();
    [inbox = ''] = /http:\/\/127\.0\.0\.1:\d+\/inbox/.exec(child.output()) ?? [];
    agent = request.agent(address);
  }

  afterEach(() => endChild(child));

  /** Opens a page and sends its form; returns where that leads, and the page there. */
  async function submit(
    page: string,
    action: string,
    fields: object,
  ): Promise<[location: unknown, text: string]> {
    const _csrf = /name="_csrf" value="([^"]+)"/.exec((await agent.get(page)).text)?.[1];
    const { headers } = await agent
      .post(action)
      .type('form')
      .send({ _csrf, ...fields });
    return [headers.location, (await agent.get(headers.location ?? '/login')).text];
  }

  const alice = { username: 'alice', password: 'demo-password' };

  it.each([
    ['client', 'the simulated gateway makes', /./],
    ['sms', 'the app makes', /^$/],
  ])(
    'opens the page after password and code alone, and closes it at logout: GATEWAY=%s, where %s the code',
    async (gateway, _who, otpId) => {
      await start({ GATEWAY: gateway });
      expect((await agent.get('/')).headers.location).toBe('/login');
      expect(await submit('/login', '/login', { ...alice, password: 'wrong' })).toEqual([
        '/login?wrong',
        expect.stringContaining('Wrong user name or password.'),
      ]);
      const [location, text] = await submit('/login', '/login', alice);
      expect(location).toBe('/login/pin');
      expect(text).toContain('We texted a code to the number ending in 23.');
      expect((await agent.get('/')).headers.location).toBe('/login');
      const { pin, id } = await readInbox(inbox);
      expect(id).toMatch(otpId);
      expect(await submit('/login/pin', '/login/pin', { pin: wrongCode(pin) })).toEqual([
        '/login/pin',
        expect.stringContaining('That code is not right. Check it and try again.'),
      ]);
      expect(await submit('/login/pin', '/login/pin', { pin })).toEqual([
        '/',
        expect.stringContaining('Hello, Alice.'),
      ]);
      expect((await submit('/', '/logout', {}))[0]).toBe('/login');
      expect((await agent.get('/')).headers.location).toBe('/login');
    },
  );

  it('has no field for a dead code, says how long the next one takes, and refuses forms of other sites', async () => {
    await start();
    await submit('/login', '/login', alice);
    const { pin } = await readInbox(inbox);
    const wrong = wrongCode(pin);
    for (let attempt = 1; attempt < 5; attempt += 1)
      await submit('/login/pin', '/login/pin', { pin: wrong });
    const [, dead] = await submit('/login/pin', '/login/pin', { pin: wrong });
    expect(dead).toContain('This code no longer works.');
    expect(dead).not.toContain('name="pin"');
    expect(dead).toMatch(/Text me a code<span id="wait"> \(in <span>\d+<\/span> s\)/);
    const [, tooSoon] = await submit('/login/pin', '/login/pin/resend', {});
    expect(tooSoon).toMatch(
      /It’s too soon to send another text\. You can try again in \d+ seconds\./,
    );
    const forged = await agent.post('/login/pin').type('form').send({ pin });
    expect(forged.status).toBe(403);
    expect((await submit('/login/pin', '/login/cancel', {}))[0]).toBe('/login');
  });
});
