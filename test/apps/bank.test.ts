import { describe, expect, it } from '@jest/globals';
import { createApp, ORIGIN } from './bank';
import type { Answer } from './support/browser';
import { useSite, type AppOfWalk } from './support/site';
import { stepsOf } from './support/walk';

const DAY_MS = 86_400_000;

const APP: AppOfWalk = { variant: 'A', prefix: '/bank', createApp };

describe('a part of a site under a prefix, with a cookie that lives 30 days', () => {
  const site = useSite(APP);

  it.each(stepsOf(APP))('$title', ({ expectStep }) => expectStep(site.visitor()));

  it('"stay logged in" lasts through both renewals', async () => {
    const alice = site.visitor();
    await alice.visit('/cart?add=book'); // A session that the password renews.
    const answers = [await alice.givePassword({ stay: 'on' }), await alice.enter()];
    expect(answers.map(cookieLifeDays)).toEqual([30, 30]);
  });

  it('"stay logged in" of the user before is not that of the next one', async () => {
    const alice = site.visitor();
    const bob = alice.followedBy(site.nextPerson());
    const { name: username, password } = bob.person;
    const form = await bob.browser.fill('/bank/login', '/bank/login', { username, password });
    await alice.logIn({ stay: 'on' });
    bob.browser.keep(await bob.browser.send(form));
    const answer = await bob.enter();
    expect([await bob.isIn(), cookieLifeDays(answer)]).toEqual([true, null]);
  });

  it('the page that was wanted may be on another host that the app has named', async () => {
    const alice = site.visitor();
    await alice.visit('/reports?year=2026');
    expect((await alice.logIn()).location).toBe(`${ORIGIN}/reports?year=2026`);
  });
});

/** How long a browser keeps the session's cookie of an answer; null: until it is closed. */
function cookieLifeDays({ setCookies }: Answer): number | null {
  const [, expires] = /connect\.sid=.*; Expires=([^;]+)/.exec(setCookies.join()) ?? [];
  return expires === undefined ? null : Math.round((Date.parse(expires) - Date.now()) / DAY_MS);
}
