import { describe, expect, it } from '@jest/globals';
import { BOB_PHONE, useSite } from './site';
import { readContent, readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

describe.each(['A', 'B'] as const)('the login of the example app, gateway %s', (variant) => {
  const site = useSite({ variant });
  const visitor = new Visitor(site);

  it('opens the account after a right password and the texted code', async () => {
    expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
    const account = await visitor.open('/account');
    expect(account.status).toBe(200);
    expect(account.text).toContain('Hello, Alice');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('texts each user on their own phone', async () => {
    await visitor.givePassword('bob');
    await visitor.giveCode(readPin(site, BOB_PHONE));
    expect((await visitor.open('/account')).text).toContain('Hello, Bob');
  });

  it('opens nothing after the password alone', async () => {
    await visitor.givePassword();
    const account = await visitor.open('/account');
    expect(account.status).toBe(303);
    expect(account.headers.location).toBe('/second-factor/code');
    expect((await visitor.open('/')).text).not.toContain('/logout');
  });

  it('refuses a wrong code, says so, and takes the right one after it', async () => {
    await visitor.givePassword();
    expect((await visitor.giveCode(readWrongPin(site))).headers.location).toBe(
      '/second-factor/code',
    );
    const page = await visitor.open('/second-factor/code');
    expect(readNotice(page)).toContain('That code is not correct.');
    expect(page.text).toContain('aria-invalid="true"');
    expect(readNotice(await visitor.open('/second-factor/code'))).toBeNull();
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
  });

  it('ends the code after five wrong ones, whatever comes next', async () => {
    await visitor.givePassword();
    const form = await visitor.open('/second-factor/code');
    for (let attempt = 1; attempt <= 5; attempt += 1) await visitor.giveCode(readWrongPin(site));
    const answer = await visitor.post('/second-factor/code', {
      _csrf: readToken(form),
      pin: readPin(site),
    });
    expect(answer.headers.location).toBe('/second-factor/code');
    const page = await visitor.open('/second-factor/code');
    expect(readNotice(page)).toContain('This code no longer works');
    expect(page.text).not.toContain('name="pin"');
    expect((await visitor.open('/account')).headers.location).toBe('/second-factor/code');
  });

  it('shows two digits of the number and no more', async () => {
    await visitor.givePassword();
    const content = readContent(await visitor.open('/second-factor/code'));
    expect(content).toContain('number ending in 23');
    expect(content).not.toContain('0123');
  });

  it('marks the code field for phones that fill codes in', async () => {
    await visitor.givePassword();
    const input = /<input\s+id="code"[^>]*>/.exec(
      (await visitor.open('/second-factor/code')).text,
    )?.[0];
    expect(input).toContain('autocomplete="one-time-code"');
    expect(input).toContain('inputmode="numeric"');
    expect(input).toContain('aria-describedby="code-hint"');
    expect(input).not.toContain('maxlength');
  });
});
