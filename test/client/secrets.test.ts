import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayEvent } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { throughProxy } from './support/dispatchers';
import { MOBILE, errorOf } from './support/gateway';
import { sendJson, sendPayload, startWireServer, type WireRequest } from './support/wire-server';
import type { ServerResponse } from 'node:http';

const CANARIES = {
  username: 'canary-username',
  password: 'canary-password',
  access: 'canary-access-token',
  refresh: 'canary-refresh-token',
  pin: '8675309',
  id: 'canary-id',
  body: 'canary-body',
  proxy: 'canary-proxy',
};
const DIGITS = MOBILE.slice(1);

/** Everything a log could make of a value. */
function showAll(value: unknown): string {
  const shown = [
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(value),
  ];
  if (value instanceof Error) {
    shown.push(
      String(value),
      value.message,
      value.stack ?? '',
      inspect(value.cause),
      JSON.stringify(value.cause),
    );
  }
  return shown.join('\n');
}

/** The secrets that a value shows. */
function secretsIn(value: unknown): readonly string[] {
  const shown = showAll(value);
  return [...Object.values(CANARIES), DIGITS].filter((secret) => shown.includes(secret));
}

type Answer = (response: ServerResponse, request: WireRequest) => void;
const tokens: Answer = (response) =>
  sendPayload(response, {
    access_token: CANARIES.access,
    refresh_token: CANARIES.refresh,
    validity_period: 1800,
  });

async function startClientOf(
  answer: Answer,
  authenticate: Answer = tokens,
  timeoutMs?: number,
): Promise<{ client: GatewayClient; events: GatewayEvent[] }> {
  const wire = await startWireServer(answer, authenticate);
  const events: GatewayEvent[] = [];
  const client = new GatewayClient({
    baseUrl: wire.baseUrl,
    variant: 'A',
    username: CANARIES.username,
    password: CANARIES.password,
    timeoutMs,
    onEvent: (event) => events.push(event),
  });
  closeLater(() => client.close(0));
  return { client, events };
}

/** Says back all that it was told, as a careless gateway would. */
const echo = ({ url, headers, body }: WireRequest): string =>
  `${CANARIES.body} ${url} ${JSON.stringify(headers)} ${body} ${CANARIES.pin} ${CANARIES.access} ${DIGITS}`;

/** A gateway that does not answer in time. */
const silence: Answer = () => undefined;

const answers: readonly (readonly [string, Answer])[] = [
  [
    'an error with a message',
    (response, request) =>
      sendJson(response, 422, { errors: [{ code: 2107, message: echo(request) }] }),
  ],
  [
    '1009',
    (response, request) =>
      sendJson(response, 401, { errors: [{ code: 1009, message: echo(request) }] }),
  ],
  [
    'text',
    (response, request) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(echo(request)),
  ],
  [
    'broken JSON',
    (response, request) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(echo(request)),
  ],
  ['a payload of another kind', (response, request) => sendPayload(response, echo(request))],
  [
    'a redirect',
    (response, request) =>
      response.writeHead(307, { location: `/${encodeURI(echo(request))}` }).end(),
  ],
  ['a reset', (response) => response.socket?.destroy()],
  [
    'half an answer',
    (response, request) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': 9_999 })
        .write(echo(request));
      setImmediate(() => response.socket?.destroy());
    },
  ],
  ['nothing', silence],
  [
    'a status text',
    (response) =>
      response.writeHead(200, `OK ${CANARIES.body}`, { 'x-echo': CANARIES.access }).end(),
  ],
];

describe.each(answers)('an answer that is %s', (_title, answer) => {
  const limitMs = answer === silence ? 300 : 10_000;

  it('leaves no secret in the errors and events of a call', async () => {
    const { client, events } = await startClientOf(answer, tokens, limitMs);
    await client.warmUp();
    const pin = { id: CANARIES.id, mobile: MOBILE, pin: CANARIES.pin };
    expect(secretsIn(await errorOf(client.otp.validate(pin)))).toEqual([]);
    expect(
      secretsIn(
        await errorOf(client.otp.generate({ mobile: MOBILE, referenceCode: CANARIES.body })),
      ),
    ).toEqual([]);
    expect(events.length).toBeGreaterThan(2);
    expect(secretsIn(events)).toEqual([]);
    expect(secretsIn(client)).toEqual([]);
  });

  it('leaves no secret in those of an authentication', async () => {
    const { client, events } = await startClientOf(tokens, answer, limitMs);
    expect(secretsIn(await errorOf(client.otp.balance()))).toEqual([]);
    expect(secretsIn(events)).toEqual([]);
  });
});

describe('a client', () => {
  it('shows nothing of its options, tokens and keys', async () => {
    const { client } = await startClientOf((response) => sendPayload(response, { balance: '1' }));
    await client.otp.balance();
    const permit = await client.admit('validate');
    for (const value of [client, permit, client.otp, client.hlr])
      expect(secretsIn(value)).toEqual([]);
    permit.release();
    expect(JSON.stringify(client)).toBe('{"variant":"A","otp":{},"hlr":{}}');
  });

  it('shows nothing of input that is wrong', async () => {
    const { client } = await startClientOf((response) => sendPayload(response, ''));
    const pin = { id: CANARIES.id, mobile: MOBILE, pin: CANARIES.pin };
    expect(
      secretsIn(await errorOf(client.otp.validate({ ...pin, pin: `${CANARIES.pin}x` }))),
    ).toEqual([]);
    expect(
      secretsIn(await errorOf(client.otp.validate({ ...pin, mobile: `${MOBILE}00000` }))),
    ).toEqual([]);
    expect(
      secretsIn(await errorOf(client.otp.validate({ ...pin, id: `${CANARIES.id}\n` }))),
    ).toEqual([]);
    expect(
      secretsIn(await errorOf(client.otp.generate({ mobile: MOBILE, message: CANARIES.body }))),
    ).toEqual([]);
  });

  it('whose proxy cannot be reached does not name it', async () => {
    const proxyUrl = `http://${CANARIES.proxy}:${CANARIES.proxy}@127.0.0.1:1`;
    const account = {
      baseUrl: 'http://127.0.0.1:1',
      variant: 'A',
      username: 'u',
      password: CANARIES.password,
    } as const;
    const client = new GatewayClient({ ...account, dispatcher: throughProxy(proxyUrl) });
    closeLater(() => client.close(0));
    const error = await errorOf(client.otp.balance());
    expect(secretsIn(error)).toEqual([]);
    expect(showAll(error)).not.toContain('127.0.0.1');
    expect(secretsIn(client)).toEqual([]);
  });
});
