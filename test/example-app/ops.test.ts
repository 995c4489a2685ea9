import { afterEach, describe, expect, it } from '@jest/globals';
import { BOB_PHONE, startSite, type Site } from './site';
import { Visitor } from './visitor';

describe.each(['A', 'B'] as const)('the page for operators, in variant %s', (variant) => {
  let site: Site;
  afterEach(() => site.close());

  async function start(): Promise<Visitor> {
    site = await startSite({ variant });
    const operator = new Visitor(site);
    await operator.logIn('bob', BOB_PHONE);
    return operator;
  }

  it('shows what was sent, what became of it, and the balance', async () => {
    const operator = await start();
    const visitor = new Visitor(site);
    await visitor.givePassword();
    await new Visitor(site).givePassword();
    const { text } = await operator.open('/ops');
    // Bob's and Alice's messages; Alice's second browser was told to wait.
    expect(text).toMatch(/<dt>Sent<\/dt><dd>2<\/dd>/);
    expect(text).toMatch(/<dt>Conversion<\/dt><dd>50 %<\/dd>/);
    expect(text).toMatch(/<dt>Refused<\/dt><dd>1<\/dd>/);
    expect(text).toContain('<code>resend-too-soon</code>');
    expect(text).toMatch(/<th scope="row">US<\/th><td>2<\/td><td>1<\/td>/);
    expect(text).toMatch(/<dt>Balance<\/dt><dd>\d+\.\d\d<\/dd>/);
    expect(text).toMatch(variant === 'B' ? /<dt>Cost<\/dt><dd>0\.\d\d<\/dd>/ : /<dt>Cost<\/dt><dd>not told<\/dd>/);
    expect(text.match(/<svg class="plot"/g)).toHaveLength(2);
    expect((await operator.open('/account')).text).toContain('href="/ops"');
  });

  it('stays live by a part of its own', async () => {
    const operator = await start();
    const before = (await operator.open('/ops/figures')).text;
    await new Visitor(site).givePassword();
    const after = (await operator.open('/ops/figures')).text;
    expect(before).toMatch(/<dt>Sent<\/dt><dd>1<\/dd>/);
    expect(after).toMatch(/<dt>Sent<\/dt><dd>2<\/dd>/);
    expect(after).not.toContain('<html');
  });

  it('is not there for others, and asks operators for both factors', async () => {
    await start();
    const visitor = new Visitor(site);
    expect((await visitor.open('/ops')).headers.location).toBe('/login');
    await visitor.logIn();
    expect((await visitor.open('/ops')).status).toBe(404);
    expect((await visitor.open('/ops/figures')).status).toBe(404);
    expect((await visitor.open('/account')).text).not.toContain('href="/ops"');
  });
});
