import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSite, type Site } from './site';
import { readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

const ORDER = { payee: 'Marina Books', amount: '25.00' };

describe.each(['A', 'B'] as const)('the transfer of the example app, gateway %s', (variant) => {
  let site: Site;
  let visitor: Visitor;

  beforeEach(async () => {
    site = await startSite({ variant });
    visitor = new Visitor(site);
    await visitor.logIn();
  });

  afterEach(() => site.close());

  it('moves money while the code is fresh', async () => {
    expect((await visitor.submit('/transfer', '/transfer', ORDER)).headers.location).toBe(
      '/account?transferred',
    );
    const account = await visitor.open('/account?transferred');
    expect(account.text).toContain('$25.00 to Marina Books is on its way.');
    expect(account.text).toContain('$2,455.32');
  });

  it('asks for a new code after five minutes and comes back to where it was asked', async () => {
    site.advanceSeconds(301);
    expect((await visitor.open('/transfer')).headers.location).toBe('/step-up');
    expect((await visitor.open('/step-up')).text).toContain('number ending in <strong>23</strong>');
    expect((await visitor.submit('/step-up', '/step-up')).headers.location).toBe('/login/pin');
    expect((await visitor.open('/login/pin')).text).toContain('Confirm it is you');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/transfer');
    expect((await visitor.open('/transfer')).status).toBe(200);
  });

  it('moves nothing when the code has grown too old with the form open, and comes back to the form', async () => {
    const form = await visitor.open('/transfer');
    site.advanceSeconds(301);
    expect((await visitor.post('/transfer', { ...ORDER, _csrf: readToken(form) })).headers.location).toBe(
      '/transfer',
    );
    expect((await visitor.open('/transfer')).headers.location).toBe('/step-up');
    await visitor.submit('/step-up', '/step-up');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/transfer');
    expect((await visitor.open('/account')).text).not.toContain('Marina Books');
  });

  it('keeps what the session holds through the new code', async () => {
    await visitor.submit('/transfer', '/transfer', ORDER);
    site.advanceSeconds(301);
    await visitor.submit('/step-up', '/step-up');
    await visitor.giveCode(readPin(site));
    expect((await visitor.open('/account')).text).toContain('Marina Books');
  });

  it('leaves the user logged in after a wrong code and after cancel', async () => {
    site.advanceSeconds(301);
    await visitor.submit('/step-up', '/step-up');
    await visitor.giveCode(readWrongPin(site));
    expect(readNotice(await visitor.open('/login/pin'))).toContain('not the right code');
    await visitor.submit('/login/pin', '/login/cancel');
    expect((await visitor.open('/account')).status).toBe(200);
    expect((await visitor.open('/transfer')).headers.location).toBe('/step-up');
  });

  it.each([
    ['no amount', { ...ORDER, amount: '' }, 'Enter an amount'],
    ['words for an amount', { ...ORDER, amount: 'ten' }, 'Enter an amount'],
    ['nothing', { ...ORDER, amount: '0' }, 'above zero'],
    ['more than there is', { ...ORDER, amount: '99999' }, 'not enough money'],
    ['an unknown payee', { ...ORDER, payee: 'Mallory' }, 'Choose who'],
  ])('refuses %s and says why', async (_what, order, sentence) => {
    const page = await visitor.submit('/transfer', '/transfer', order);
    expect(page.status).toBe(400);
    expect(readNotice(page)).toContain(sentence);
  });

  it('shows what was typed as text, never as markup', async () => {
    const page = await visitor.submit('/transfer', '/transfer', { ...ORDER, amount: '"><b>1</b>' });
    expect(page.text).toContain('value="&quot;&gt;&lt;b&gt;1&lt;/b&gt;"');
    expect(page.text).not.toContain('<b>1</b>');
  });
});
