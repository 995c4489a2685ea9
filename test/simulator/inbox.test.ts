import { Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { ALICE, startLoggedIn, VARIANTS, type Gateway } from './gateway';

/**
 * Reads a stream of events until one has arrived that many times, for at most as long as the test
 * lives.
 */
async function readEvents(
  gateway: Gateway,
  wanted: number,
  afterOpen: () => Promise<unknown>,
): Promise<string[]> {
  const response = await fetch(`${gateway.sim.inboxUrl}/events`);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isFirst = true;
  while (reader !== undefined && text.split('\n\n').length <= wanted) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    if (isFirst) await afterOpen();
    isFirst = false;
  }
  await reader?.cancel();
  return text.split('\n\n').slice(0, wanted);
}

describe.each(VARIANTS)('the inbox page, variant %s', (variant) => {
  it('is where the root leads', async () => {
    const gateway = await startLoggedIn({ variant });
    const response = await gateway.fetch('GET', '/');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/inbox']);
  });

  it('loads its own script and style and nothing else', async () => {
    const { sim } = await startLoggedIn({ variant });
    const page = await fetch(sim.inboxUrl);
    const html = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain(`Variant ${variant}`);
    expect(html).toContain('<img class="logo" src="/inbox/icon.svg" alt=""');
    expect(html).not.toMatch(/<script(?![^>]* src="\/inbox\/inbox\.js")/);
    expect(html).not.toMatch(/<style| style=| on[a-z]+=|https?:/);
    for (const path of ['/inbox/inbox.css', '/inbox/inbox.js', '/inbox/icon.svg']) {
      expect(html).toContain(`"${path}"`);
      expect((await fetch(sim.baseUrl + path)).status).toBe(200);
    }
  });
});

describe('the inbox', () => {
  it.each(['/inbox', '/inbox/inbox.js', '/inbox/events', '/inbox/messages', '/', '/inbox/none'])(
    'sends its security headers with %s',
    async (path) => {
      const gateway = await startLoggedIn();
      const { headers, body } = await gateway.fetch('GET', path);
      await body?.cancel();
      const policy = headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );

  it('has a script that is JavaScript and puts texts in as text', async () => {
    const { sim } = await startLoggedIn();
    const script = await (await fetch(`${sim.inboxUrl}/inbox.js`)).text();
    expect(() => new Script(script)).not.toThrow();
    expect(script).toContain('textContent');
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });

  it('streams what was sent before and what is sent afterwards', async () => {
    const gateway = await startLoggedIn();
    await gateway.generate({ message: 'First\n<b>[PIN]</b>' });
    const events = await readEvents(gateway, 2, () =>
      gateway.generate({ message: 'Second [PIN]' }),
    );
    const [first, second] = gateway.sim.outbox;
    expect(events).toEqual([
      `event: snapshot\ndata: ${JSON.stringify([first])}`,
      `event: message\ndata: ${JSON.stringify(second)}`,
    ]);
    expect(first).toMatchObject({ mobile: `+${ALICE}`, text: `First\n<b>${first?.pin ?? ''}</b>` });
  });

  it('gives the messages as JSON too', async () => {
    const gateway = await startLoggedIn();
    await gateway.generate();
    const response = await fetch(`${gateway.sim.inboxUrl}/messages`);
    expect(await response.json()).toEqual(gateway.sim.outbox);
  });

  it.each(['POST', 'PUT', 'DELETE'])('does not take %s', async (method) => {
    const gateway = await startLoggedIn();
    expect((await gateway.fetch(method, '/inbox')).status).toBe(405);
  });

  it('answers an unknown page with 404', async () => {
    const gateway = await startLoggedIn();
    expect((await gateway.fetch('GET', '/inbox/none')).status).toBe(404);
  });
});

describe('a text that another gateway sends to the inbox', () => {
  const post = (url: string, body: string, headers: Record<string, string> = JSON_HEADERS) =>
    fetch(`${url}/messages`, { method: 'POST', headers, body });

  it('is received as by any phone, and its digits are its pin', async () => {
    const { sim } = await startLoggedIn();
    const text = 'Order 12: your code is 00123456. Call 911.';
    const answer = await post(
      sim.inboxUrl,
      JSON.stringify({ mobile: ALICE, text, sender: 'Bank' }),
    );
    expect(answer.status).toBe(201);
    expect(sim.outbox).toEqual([
      {
        id: '',
        mobile: `+${ALICE}`,
        sender: 'Bank',
        text,
        pin: '00123456',
        sentAt: expect.any(Number),
        cost: '0',
      },
    ]);
    expect(sim.lastPin(ALICE)).toBe('00123456');
    expect(sim.stats().sent).toBe(0);
  });

  it.each([
    ['no JSON', 'text'],
    ['a list', '[]'],
    ['no number', '{"text":"1234"}'],
    ['an odd number', '{"mobile":"+12","text":"1234"}'],
    ['an empty text', `{"mobile":"${ALICE}","text":""}`],
    ['a long text', JSON.stringify({ mobile: ALICE, text: 'x'.repeat(2_001) })],
  ])('is refused when it is %s', async (_what, body) => {
    const { sim } = await startLoggedIn();
    expect((await post(sim.inboxUrl, body)).status).toBe(400);
    expect(sim.outbox).toEqual([]);
  });

  it('is refused with the types that a page of another site may send', async () => {
    const { sim } = await startLoggedIn();
    const body = JSON.stringify({ mobile: ALICE, text: '1234' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect((await post(sim.inboxUrl, body, { 'Content-Type': type })).status).toBe(400);
    expect(sim.outbox).toEqual([]);
  });
});

const JSON_HEADERS = { 'Content-Type': 'application/json' };
