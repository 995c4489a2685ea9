import { beforeEach, describe, expect, it } from '@jest/globals';
import { LOCALES } from '../../example-app/i18n';
import { ALICE_PHONE, startSite, useSite } from './site';
import { readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

const ORDER = { payee: 'Marina Books', amount: '25.00' };
const DONE = '/account?transferred';

describe.each(LOCALES)('the text for a transfer in %s', (locale) => {
  it('tells the same amount and payee as the page', async () => {
    const site = await startSite();
    const visitor = new Visitor(site);
    await visitor.logIn();
    await visitor.open(`/language/${locale}`);
    await visitor.submit('/transfer', '/transfer', ORDER);
    const page = await visitor.open('/transfer/code');
    for (const text of [page.text, site.simulator.outbox.at(-1)?.text]) {
      expect(text).toContain('25.00 USD');
      expect(text).toContain('Marina Books');
    }
    await site.close();
  });
});

describe.each(['A', 'B'] as const)('the transfer of the example app, gateway %s', (variant) => {
  const site = useSite({ variant });
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  function order(fields = ORDER): ReturnType<Visitor['submit']> {
    return visitor.submit('/transfer', '/transfer', fields);
  }

  it('moves money after a code of its own, and tells amount and payee in the text and on the page', async () => {
    expect((await order()).headers.location).toBe('/transfer/code');
    const text = site.simulator.outbox.at(-1)?.text ?? '';
    const page = await visitor.open('/transfer/code');
    for (const word of ['25.00 USD', 'Marina Books']) {
      expect(text).toContain(word);
      expect(page.text).toContain(word);
    }
    expect((await visitor.approve(readPin(site))).headers.location).toBe(DONE);
    const account = await visitor.open(DONE);
    expect(account.text).toContain('$25.00 to Marina Books is on its way.');
    expect(account.text).toContain('$2,455.32');
  });

  it('moves nothing without the code, nor with a wrong one', async () => {
    await order();
    expect((await visitor.approve(readWrongPin(site))).headers.location).toBe('/transfer/code');
    expect(readNotice(await visitor.open('/transfer/code'))).toContain('That code is not correct.');
    expect((await visitor.open('/account')).text).not.toContain('Marina Books');
  });

  it('moves what the text said, whatever comes with the code', async () => {
    await order();
    const page = await visitor.open('/transfer/code');
    const changed = { payee: 'Northpier Energy', amount: '900.00' };
    await visitor.post('/transfer/code', {
      _csrf: readToken(page),
      pin: readPin(site),
      ...changed,
    });
    const { text } = await visitor.open('/account');
    expect(text).toContain('Marina Books');
    expect(text).not.toContain('Northpier Energy');
  });

  it('moves money once for one code', async () => {
    await order();
    const pin = readPin(site);
    const form = { _csrf: readToken(await visitor.open('/transfer/code')), pin };
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post('/transfer/code', form)));
    expect(answers.filter(({ headers }) => headers.location === DONE)).toHaveLength(1);
    expect((await visitor.open('/account')).text).toContain('$2,455.32');
  });

  it('takes no code that was texted for something else', async () => {
    site.advanceSeconds(301);
    await visitor.open('/settings');
    await visitor.submit('/second-factor/step-up', '/second-factor/step-up');
    const page = await visitor.open('/second-factor/code');
    const pin = readPin(site);
    const answer = await visitor.post('/transfer/code', { _csrf: readToken(page), pin });
    expect(answer.headers.location).toBe('/transfer/code');
    expect((await visitor.open('/account')).text).toContain('$2,480.32');
    expect((await visitor.answerCode(pin)).headers.location).toBe('/settings');
  });

  it('is no step-up: the settings stay closed after it', async () => {
    site.advanceSeconds(301);
    await order();
    await visitor.approve(readPin(site, ALICE_PHONE));
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
  });

  it.each([
    ['no amount', { ...ORDER, amount: '' }, 'Enter an amount'],
    ['words for an amount', { ...ORDER, amount: 'ten' }, 'Enter an amount'],
    ['nothing', { ...ORDER, amount: '0' }, 'above zero'],
    ['more than there is', { ...ORDER, amount: '99999' }, 'isn’t enough money'],
    ['an unknown payee', { ...ORDER, payee: 'Mallory' }, 'Choose who'],
  ])('refuses %s, says why and texts nobody', async (_what, fields, sentence) => {
    const page = await order(fields);
    expect(page.status).toBe(400);
    expect(readNotice(page)).toContain(sentence);
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('shows what was typed as text, never as markup', async () => {
    const page = await order({ ...ORDER, amount: '"><b>1</b>' });
    expect(page.text).toContain('value="&quot;&gt;&lt;b&gt;1&lt;/b&gt;"');
    expect(page.text).not.toContain('<b>1</b>');
  });
});
