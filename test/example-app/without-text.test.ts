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
  /** Whether the page of other ways leads to the one of recovery codes. */
  const offersRecovery = async (who = visitor): Promise<boolean> =>
    (await who.open('/second-factor/other-ways')).text.includes('href="recovery-code"');

  it('has no field for a code that was not texted, and counts down to the text', async () => {
    await visitor.givePassword();
    await visitor.submit('/second-factor/code', '/second-factor/cancel');
    expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
    const page = await visitor.open('/second-factor/code');
    // The button for the next text counts the seconds: the notice does not say them a second time.
    expect(readNotice(page)).toBe(
      'We sent you a code for another login a moment ago. You can get one for this login soon.',
    );
    expect(page.text).not.toContain('We haven’t sent you a code');
    expect([hasField(page, 'pin'), await offersRecovery()]).toEqual([false, false]);
    expect(page.text).toContain('data-wait="30"');
    expect((await visitor.open('/login')).text).toContain('You haven’t finished logging in.');
    const again = await visitor.open('/second-factor/code');
    expect(again.text).toContain('We haven’t sent you a code yet.');
    site.advanceSeconds(30);
    await visitor.submit('/second-factor/code', '/second-factor/resend');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
  });

  it('says that it is too soon where a login has a code', async () => {
    await visitor.givePassword();
    await visitor.submit('/second-factor/code', '/second-factor/resend');
    expect(readNotice(await visitor.open('/second-factor/code'))).toBe(
      'It’s too soon to send another message.',
    );
  });

  it('takes a recovery code while the gateway is away', async () => {
    const [code = ''] = await makeCodes();
    site.simulator.failNext('generate', 'html-502');
    expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
    const page = await visitor.open('/second-factor/code');
    // The notice says it once, and the button for the next text counts the seconds.
    expect(readNotice(page)).toBe('We could not send you a code. Try again in a moment.');
    expect(page.text).not.toContain('We haven’t sent you a code yet.');
    expect([hasField(page, 'pin'), await offersRecovery()]).toEqual([false, true]);
    const answer = await visitor.submit('/second-factor/code', '/second-factor/recovery-code', {
      recoveryCode: code,
    });
    expect(answer.headers.location).toBe('/account');
  });

  it.each([
    ['en', 'We cannot send you another code right now. You can try again in 24 hours.'],
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
      expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
      const page = await visitor.open('/second-factor/code');
      expect(readNotice(page)).toBe(notice);
      expect([hasField(page, 'pin'), await offersRecovery()]).toEqual([false, true]);
      expect(page.text).not.toContain('action="resend"');
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
    expect((await visitor.open('/second-factor/code')).text).toContain('Attempts left: 4.');
    for (let time = 2; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    await visitor.open('/second-factor/code');
    const reloaded = await visitor.open('/second-factor/code');
    expect(readNotice(reloaded)).toBeNull();
    expect(reloaded.text).toContain('The code we sent no longer works.');
  });

  it('says that a login is over for now where there is no other way', async () => {
    await visitor.givePassword();
    for (let time = 1; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    site.advanceSeconds(60);
    await visitor.submit('/second-factor/code', '/second-factor/resend');
    for (let time = 1; time <= 5; time += 1) await visitor.giveCode(readWrongPin(site));
    const { text } = await visitor.open('/second-factor/code');
    expect(text).toContain('<h1>You can’t enter a code right now</h1>');
    expect(text).toContain('<button class="button">Start again</button>');
  });

  it('offers a recovery code only to those who have one', async () => {
    await visitor.givePassword();
    expect(await offersRecovery()).toBe(false);
    await visitor.submit('/second-factor/code', '/second-factor/cancel');
    site.advanceSeconds(60);
    await makeCodes();
    await visitor.givePassword();
    expect(await offersRecovery()).toBe(true);
  });
});
