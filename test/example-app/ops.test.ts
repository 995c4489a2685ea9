import { beforeEach, describe, expect, it } from '@jest/globals';
import { readPage } from '../docs/support/pages';
import { guessCodes, killGateway, pumpTexts } from './ops-incidents';
import { BOB_PHONE, useSite } from './site';
import { readWrongPin, Visitor } from './visitor';

/** What the first line answers, by question. */
async function readStatuses(operator: Visitor): Promise<Record<string, string>> {
  const { text } = await operator.open('/ops');
  const found = text.matchAll(
    /<dt>([^<]+)<\/dt>\s*<dd class="word"><span[^>]*>.<\/span> ([^<]+)<\/dd>/g,
  );
  return Object.fromEntries([...found].map(([, name = '', word = '']) => [name, word]));
}

/** Figures by name. */
async function readTiles(operator: Visitor): Promise<Record<string, string>> {
  const { text } = await operator.open('/ops');
  const found = text.matchAll(/<dt>([^<]+)<\/dt><dd class="value">([^<]+?) ?</g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

const CALM = {
  Gateway: 'Up',
  'Circuit breaker': 'Closed',
  'Code guessing': 'No sign',
  'SMS pumping': 'No sign',
  Balance: 'Enough',
};

describe.each(['A', 'B'] as const)('the page for operators, in variant %s', (variant) => {
  const site = useSite({ variant });
  const operator = new Visitor(site);
  beforeEach(() => operator.logIn('bob', BOB_PHONE));

  it('shows what was sent, what became of it, and the balance', async () => {
    await new Visitor(site).givePassword();
    await new Visitor(site).givePassword();
    expect(await readStatuses(operator)).toEqual(CALM);
    // Bob's and Alice's messages; Alice's second browser was told to wait.
    expect(await readTiles(operator)).toMatchObject({
      'Messages sent': '2',
      Conversion: '1 of 2',
      'Sends refused': '1',
      'Failed calls': '0',
      Cost: variant === 'B' ? '0.02' : '–',
      // As it was after the first message: it is requested every 30 seconds at most.
      Balance: '99.99',
    });
    const { text } = await operator.open('/ops');
    expect(text).toMatch(
      /<th scope="row">resend-too-soon<\/th><td[^>]*>gap<\/td><td[^>]*>login<\/td>/,
    );
    // A share of a few messages would say nothing.
    expect(text).toMatch(
      /<th scope="row">\+1202555····<\/th><td[^>]*>2<\/td><td[^>]*>1<\/td><td[^>]*>–<\/td>/,
    );
    expect(text).toMatch(/US Dollar as of \d\d:\d\d/);
    expect(text).toMatch(/Updated at <time id="ops-updated">\d\d:\d\d:\d\d</);
    expect(text).not.toMatch(/2025550123|2025550124/);
    expect((await operator.open('/account')).text).toContain('href="/ops"');
  });

  it('tells a dead gateway at the first glance', async () => {
    await killGateway(site);
    expect(await readStatuses(operator)).toEqual({
      ...CALM,
      Gateway: 'Down',
      'Circuit breaker': 'Open',
    });
    expect(await readTiles(operator)).toMatchObject({ 'Failed calls': '20' });
    const { text } = await operator.open('/ops');
    expect(text).toContain('<title>(2) Operations');
    expect(text).toContain('<a href="/ops/support">the support table</a>');
  });

  it('tells somebody who guesses codes at the first glance', async () => {
    await guessCodes(site);
    expect(await readStatuses(operator)).toEqual({ ...CALM, 'Code guessing': 'Likely' });
    expect(await readTiles(operator)).toMatchObject({ 'Wrong codes': '10', Locks: '1' });
    expect((await operator.open('/ops')).text).toMatch(/locked<\/th>|>locked<\/td>/);
  });

  it('flags the figures that show the guessing, and not one that is zero', async () => {
    const attacker = new Visitor(site);
    await attacker.givePassword('alice');
    for (let attempt = 0; attempt < 5; attempt += 1) await attacker.giveCode(readWrongPin(site));
    expect(await readStatuses(operator)).toEqual({ ...CALM, 'Code guessing': 'Possible' });
    const { text } = await operator.open('/ops');
    expect(text).toMatch(
      /<dt>Wrong codes<\/dt><dd class="value">5 <span class="flag">watch<\/span><\/dd>/,
    );
    expect(text).toMatch(/<div class="level-ok none"><dt>Locks<\/dt><dd class="value">0<\/dd>/);
  });

  it('tells somebody who pumps messages at the first glance', async () => {
    await pumpTexts(site);
    expect(await readStatuses(operator)).toEqual({ ...CALM, 'SMS pumping': 'Likely' });
    const { text } = await operator.open('/ops?range=6h');
    expect(text).toContain('+1305555····: 10 messages, 0 % entered.');
    expect(text).toMatch(
      /\+1305555····<\/th><td[^>]*>10<\/td><td[^>]*>0<\/td><td class="level-alarm">0 %/,
    );
  });

  it('is not there for others, and asks operators for both factors', async () => {
    const visitor = new Visitor(site);
    expect((await visitor.open('/ops')).headers.location).toBe('/login');
    expect((await visitor.open('/ops/support')).headers.location).toBe('/login');
    await visitor.logIn();
    expect((await visitor.open('/ops')).status).toBe(404);
    expect((await visitor.open('/ops/support')).status).toBe(404);
    expect((await visitor.open('/account')).text).not.toContain('href="/ops"');
  });
});

describe('the page for operators', () => {
  const site = useSite();

  it('has a range in its address, and an hour where that is none', async () => {
    const operator = new Visitor(site);
    await operator.logIn('bob', BOB_PHONE);
    const countRows = async (range: string): Promise<number> =>
      (await operator.open(`/ops?range=${range}`)).text.match(/<tr data-time/g)?.length ?? 0;
    expect([
      await countRows('15m'),
      await countRows('1h'),
      await countRows('toString'),
      await countRows(''),
    ]).toEqual([15, 60, 60, 60]);
  });

  it.each([
    ['denials', 'No send was refused', 'Each send that a limit or a policy refuses'],
    ['rejections', 'No code was refused', 'Each wrong or expired code'],
    ['log', 'Nothing was refused, and there was no alarm', 'Refused sends, refused codes, locks'],
  ])('says why the table %s is empty, and what fills it', async (id, nothing, fills) => {
    const operator = new Visitor(site);
    await operator.logIn('bob', BOB_PHONE);
    const read = async (range: string): Promise<string> => {
      const { text } = await operator.open(`/ops?range=${range}`);
      const [, empty = ''] =
        new RegExp(`<h2 id="ops-${id}">[^<]*</h2>\\s*<p class="soft">([^<]*)`).exec(text) ?? [];
      return empty;
    };
    expect(await read('1h')).toMatch(new RegExp(`^${nothing} since counting began at .*${fills}`));
    site.advanceSeconds(900);
    expect(await read('15m')).toMatch(new RegExp(`^${nothing} in the last 15 min\\. ${fills}`));
  });

  it('links every complaint of the help desk page of the documentation', async () => {
    const operator = new Visitor(site);
    await operator.logIn('bob', BOB_PHONE);
    expect((await operator.open('/ops')).text).toContain('href="/ops/support"');
    const { status, text } = await operator.open('/ops/support');
    expect(status).toBe(200);
    const complaints = readPage('docs/help-desk.md').text.match(/^### "/gm) ?? [];
    expect(complaints.length).toBeGreaterThan(10);
    expect(text.match(/<li class="card">/g)).toHaveLength(complaints.length);
    for (const step of ['Check', 'Do'])
      expect(text.match(new RegExp(`<dt>${step}</dt>`, 'g'))).toHaveLength(complaints.length);
    expect(text).toContain('<h2><span>&quot;I get no message&quot;</span></h2>');
    expect(text).not.toMatch(/\]\(|`/);
  });

  it('draws with a script of its own site', async () => {
    const script = await new Visitor(site).open('/ops/uplot/uPlot.esm.js');
    expect(script.status).toBe(200);
    expect(script.headers['content-type']).toContain('javascript');
    expect(script.headers['cache-control']).toBe('public, max-age=86400');
  });
});
