import { beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayTimeoutError } from 'passport-sms-otp';
import { createLog } from '../../example-app/log';
import { ALICE_PHONE, useSite } from './site';
import { readPin, Visitor } from './visitor';

type Line = Readonly<Record<string, unknown>> & { readonly event?: { readonly type: string } };

let written: string;
beforeEach(() => {
  written = '';
});

const output = { write: (line: string): void => void (written += line) };

function readLines(): readonly Line[] {
  return written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line); // one object a line, or the test fails here
}

describe('the log of a login', () => {
  const site = useSite({ log: createLog('debug', output) });
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  it('has a line for each request, with an id of its own', () => {
    const requests = readLines().filter(({ msg }) => msg === 'request');
    expect(requests).toContainEqual(
      expect.objectContaining({
        level: 'info',
        method: 'POST',
        route: '/second-factor/code',
        status: 303,
      }),
    );
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length);
  });

  it('has a line for each event, with the id of its request', () => {
    const lines = readLines();
    const idOf = (route: string): unknown =>
      lines.find((line) => line.method === 'POST' && line.route === route)?.requestId;
    const eventsOf = (route: string): unknown[] =>
      lines
        .filter((line) => line.event && line.requestId === idOf(route))
        .map(({ event }) => event?.type);
    expect(eventsOf('/login')).toEqual(
      expect.arrayContaining(['gateway-call', 'store-call', 'sent']),
    );
    expect(eventsOf('/second-factor/code')).toEqual(
      expect.arrayContaining(['verified', 'decision-ended']),
    );
    expect(eventsOf('/second-factor/code')).not.toContain('sent');
  });

  it('says who and where, and holds neither number nor code, nor what people type into an address', async () => {
    await visitor.open('/canary-path?canary-query');
    expect(readLines().find(({ event }) => event?.type === 'sent')).toMatchObject({
      event: { userId: 'user-1', purpose: 'login', country: 'US' },
    });
    expect(written).not.toMatch(/canary|••|maskedPhone/);
    // Any digits may stand in a duration.
    const told = JSON.stringify(readLines(), (key, value: unknown) =>
      key === 'durationMs' ? null : value,
    );
    for (const secret of [ALICE_PHONE.slice(1), readPin(site), 'demo-password']) {
      expect(told).not.toContain(secret);
    }
  });
});

describe('a line', () => {
  it('holds listed fields of an event alone', () => {
    const event = {
      type: 'device-used',
      userId: 'a',
      address: '::1',
      deviceId: 'canary',
      label: 'canary',
    };
    createLog('info', output).onEvent(event as never); // as the library tells it
    expect(readLines()[0]?.event).toEqual({ type: 'device-used', userId: 'a', address: '::1' });
  });

  it('of what operators should look at is a warning', () => {
    createLog('warn', output).onEvent({ type: 'gateway-failing', retryAfterSeconds: 5 });
    createLog('warn', output).onEvent({ type: 'gateway-recovered' });
    expect(readLines().map(({ level, event }) => [level, event?.type])).toEqual([
      ['warn', 'gateway-failing'],
    ]);
  });

  it('of an accident tells what and where, and the message of our own errors alone', () => {
    const log = createLog('error', output);
    log.accident(Object.assign(new Error('canary'), { code: 'ECONNRESET', detail: 'canary' }));
    log.accident('canary');
    log.accident(new GatewayTimeoutError('generate', 3_000, true));
    const [foreign, thrown, ours] = readLines().map(({ error }) => error);
    expect(foreign).toMatchObject({ name: 'Error', code: 'ECONNRESET', places: expect.any(Array) });
    expect(thrown).toEqual({ name: 'string' });
    expect(ours).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      status: 504,
      message: expect.any(String),
    });
    expect(written).not.toContain('canary');
  });

  it('is not written when silent', () => {
    createLog('silent', output).accident(new Error('x'));
    expect(written).toBe('');
  });
});
