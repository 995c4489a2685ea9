import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { useSite } from './site';
import { readNotice, readPin, readWrongPin, Visitor } from './visitor';

describe('the code page of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);

  /** A user with recovery codes, in a browser of their own; then the next text may be sent. */
  async function makeCodes(): Promise<readonly string[]> {
    const owner = new Visitor(site);
    await owner.logIn();
    const codes = await owner.makeCodes();
    site.advanceSeconds(60);
    return codes;
  }

  const hasField = ({ text }: Response, name: string): boolean => text.includes(`name="${name}"`);

  it('has no field for a code that was not texted, and counts down to the text', async () => {
    await visitor.givePassword();
    await visitor.submit('/login/pin', '/login/cancel');
    expect((await visitor.givePassword()).headers.location).toBe('/login/pin');
    const page = await visitor.open('/login/pin');
    // The button for the next text counts the seconds: the notice does not say them a second time.
    expect(readNotice(page)).toBe(
      'We texted you a code for another login a moment ago. You can have one for this login soon.',
    );
    expect(page.text).not.toContain('We haven’t texted you a code');
    expect([hasField(page, 'pin'), hasField(page, 'recoveryCode')]).toEqual([false, false]);
    expect(page.text).toContain('data-resend-seconds="30"');
    expect((await visitor.open('/login')).text).toContain('You haven’t finished logging in.');
    const again = await visitor.open('/login/pin');
    expect(again.text).toContain('We haven’t texted you a code for this yet.');
    site.advanceSeconds(30);
    await visitor.submit('/login/pin', '/login/pin/resend');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
  });

  it('says that it is too soon where a login has a code', async () => {
    await visitor.givePassword();
    await visitor.submit('/login/pin', '/login/pin/resend');
    expect(readNotice(await visitor.open('/login/pin'))).toBe(
      'It’s too soon to send another text.',
    );
  });

  it('takes a recovery code while the gateway is away', async () => {
    const [code = ''] = await makeCodes();
    site.simulator.failNext('generate', 'html-502');
    expect((await visitor.givePassword()).headers.location).toBe('/login/pin');
    const page = await visitor.open('/login/pin');
    // The notice says it once, and the button for the next text counts the seconds.
    expect(readNotice(page)).toBe('We could not text you a code. Try again in a moment.');
    expect(page.text).not.toContain('We haven’t texted you a code yet.');
    expect([hasField(page, 'pin'), hasField(page, 'recoveryCode')]).toEqual([false, true]);
    const answer = await visitor.submit('/login/pin', '/login/recover', { recoveryCode: code });
    expect(answer.headers.location).toBe('/account');
  });

  it.each([
    ['en', 'We cannot text you another code right now. You can try again in 24 hours.'],
    [
      'de',
      'Wir können Ihnen gerade keinen weiteren Code senden. Sie können es in 24 Stunden erneut versuchen.',
    ],
  ])(
    'says in %s when the texts of the day are used up, and for how long',
    async (language, notice) => {
      await makeCodes();
      for (let text = 1; text <= 10; text += 1) {
        site.advanceSeconds(330);
        await new Visitor(site).givePassword();
      }
      await visitor.open(`/language/${language}`);
      expect((await visitor.givePassword()).headers.location).toBe('/login/pin');
      const page = await visitor.open('/login/pin');
      expect(readNotice(page)).toBe(notice);
      expect([hasField(page, 'pin'), hasField(page, 'recoveryCode')]).toEqual([false, true]);
      expect(page.text).not.toContain('/login/pin/resend');
    },
  );

  it('is not reached where there is nothing to do: the login says for how long', async () => {
    for (let text = 1; text <= 10; text += 1) {
      await new Visitor(site).givePassword();
      site.advanceSeconds(330);
    }
    expect((await visitor.givePassword()).headers.location).toBe('/login');
    expect(readNotice(await visitor.open('/login'))).toMatch(/You can try again in 2[34] hours\.$/);
  });

  it('says after a wrong code how many tries are left, and that a dead code stays dead', async () => {
    await visitor.givePassword();
    await visitor.giveCode(readWrongPin(site));
    expect((await visitor.open('/login/pin')).text).toContain('Tries left: 4.');
    for (let time = 2; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    await visitor.open('/login/pin');
    const reloaded = await visitor.open('/login/pin');
    expect(readNotice(reloaded)).toBeNull();
    expect(reloaded.text).toContain('The code we texted no longer works.');
  });

  it('says that a login is over for now where there is no other way', async () => {
    await visitor.givePassword();
    for (let time = 1; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    site.advanceSeconds(60);
    await visitor.submit('/login/pin', '/login/pin/resend');
    for (let time = 1; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    const { text } = await visitor.open('/login/pin');
    expect(text).toContain('<h1>You can’t log in right now</h1>');
    expect(text).not.toContain('Log in another way');
  });

  it('offers a recovery code only to those who have one', async () => {
    await visitor.givePassword();
    expect(hasField(await visitor.open('/login/pin'), 'recoveryCode')).toBe(false);
    await visitor.submit('/login/pin', '/login/cancel');
    site.advanceSeconds(60);
    await makeCodes();
    await visitor.givePassword();
    expect(hasField(await visitor.open('/login/pin'), 'recoveryCode')).toBe(true);
  });
});
