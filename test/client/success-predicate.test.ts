import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  GatewayClient,
  GatewayRejectedError,
  GatewayResponseError,
  type GatewayClientOptions,
} from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE } from './support/gateway';
import { startWireServer } from './support/wire-server';
import { casesOf } from '../support/complete-run';

interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json';
let reply: Reply;
let client: GatewayClient;
let baseUrl: string;

function startClient(options: Partial<GatewayClientOptions> = {}): void {
  // The clock moves on by ten seconds with every look, so that failures never add up for the
  // circuit breaker.
  let time = 0;
  const now = (): number => (time += 10_000);
  const made = new GatewayClient({
    baseUrl,
    variant: 'A',
    username: 'u',
    password: 'p',
    now,
    ...options,
  });
  closeLater(() => made.close(0));
  client = made;
}

beforeEach(async () => {
  const wire = await startWireServer((response) => {
    response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.body);
  });
  baseUrl = wire.baseUrl;
  startClient();
});

function answer(body: unknown, status = 200, contentType = JSON_TYPE): Promise<void> {
  reply = { status, contentType, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return client.otp.validate({ id: 'abc', mobile: MOBILE, pin: '123456' });
}

const success = { status_code: 200, status_message: 'OK', payload: '' };

const NO_PAYLOAD = ['no payload', { status_code: 200 }, 200, JSON_TYPE] as const;
const UNDOCUMENTED: readonly (readonly [string, unknown, number, string])[] = [
  ['a payload with a word in it', { ...success, payload: 'ok' }, 200, JSON_TYPE],
  ['a payload that is true', { ...success, payload: true }, 200, JSON_TYPE],
  ['a payload that is zero', { ...success, payload: 0 }, 200, JSON_TYPE],
  ['a payload that is a list', { ...success, payload: [] }, 200, JSON_TYPE],
  ['a payload with a member', { ...success, payload: { valid: false } }, 200, JSON_TYPE],
  ['a status code of 401 under 200', { ...success, status_code: 401 }, 200, JSON_TYPE],
  ['a status code that is a word', { ...success, status_code: 'OK' }, 200, JSON_TYPE],
  ['202', success, 202, JSON_TYPE],
  ['204', '', 204, JSON_TYPE],
  ['206', success, 206, JSON_TYPE],
  ['400 without errors', { status_code: 400 }, 400, JSON_TYPE],
  ['500 that calls itself 200', success, 500, JSON_TYPE],
  ['429 that calls itself 200', success, 429, JSON_TYPE],
  ['errors that are an object', { ...success, errors: {} }, 200, JSON_TYPE],
  ['errors that are a word', { ...success, errors: 'none' }, 200, JSON_TYPE],
  ['errors without a code', { ...success, errors: [{}] }, 200, JSON_TYPE],
  ['text', success, 200, 'text/plain'],
  ['HTML', success, 200, 'text/html'],
  ['a content type that only begins like JSON', success, 200, 'application/jsonp'],
  ['a content type that only ends like JSON', success, 200, 'text/x+json'],
  ['a content type with something before it', success, 200, 'xapplication/json'],
  ['a content type with a word after it', success, 200, 'application/json utf-8'],
  ['a content type with nothing before the plus', success, 200, 'application/+json'],
  ['a content type with a blank in it', success, 200, 'application/vnd x+json'],
  ['no content type', success, 200, ''],
  ['a list', [success], 200, JSON_TYPE],
  ['a word', '"OK"', 200, JSON_TYPE],
  ['true', 'true', 200, JSON_TYPE],
  ['null', 'null', 200, JSON_TYPE],
  ['nothing', '', 200, JSON_TYPE],
  ['half of it', JSON.stringify(success).slice(0, -1), 200, JSON_TYPE],
  ['two of it', JSON.stringify(success).repeat(2), 200, JSON_TYPE],
];

describe('a pin was right only when the answer says so exactly', () => {
  it.each([
    ['the documented answer', success, 200, JSON_TYPE],
    ['201', success, 201, JSON_TYPE],
    ['a content type with a charset', success, 200, 'application/json; charset=utf-8'],
    ['a content type of its own', success, 200, 'application/vnd.gateway+json'],
    ['a content type of two parts', success, 200, 'application/a+b+json'],
    ['a content type in capitals', success, 200, 'APPLICATION/JSON'],
    [
      'a content type with blanks before what follows',
      success,
      200,
      'application/json \t ;charset=utf-8',
    ],
    ['a status code of 201 under 200', { ...success, status_code: 201 }, 200, JSON_TYPE],
    ['a status code as digits', { ...success, status_code: '200' }, 200, JSON_TYPE],
    ['no status code', { payload: '' }, 200, JSON_TYPE],
    ['errors that are null', { ...success, errors: null }, 200, JSON_TYPE],
    ['errors that are empty', { ...success, errors: [] }, 200, JSON_TYPE],
    ['a payload that is null', { ...success, payload: null }, 200, JSON_TYPE],
    ['a payload that is an empty object', { ...success, payload: {} }, 200, JSON_TYPE],
    ['members that are not documented', { ...success, trace: 'x' }, 200, JSON_TYPE],
  ])('%s is a success', async (_title, body, status, contentType) => {
    await expect(answer(body, status, contentType)).resolves.toBeUndefined();
  });

  it.each([NO_PAYLOAD, ...UNDOCUMENTED])(
    '%s is not as documented',
    async (_title, body, status, contentType) => {
      const error = await errorOf(answer(body, status, contentType));
      expect(error).toBeInstanceOf(GatewayResponseError);
      expect(error).toMatchObject({
        code: 'ERR_GATEWAY_RESPONSE',
        status: status === 429 ? 503 : 502,
        httpStatus: status,
      });
    },
  );

  it.each([
    ['a byte order mark', `\uFEFF${JSON.stringify(success)}`, JSON_TYPE, /byte order mark/],
    [
      'a notice of PHP',
      `<br />Notice${JSON.stringify(success)}`,
      JSON_TYPE,
      /other text, so it is/,
    ],
    ['half of it', JSON.stringify(success).slice(0, -1), JSON_TYPE, /not valid JSON$/],
    ['two of it', JSON.stringify(success).repeat(2), JSON_TYPE, /not valid JSON$/],
    ['nothing', '', JSON_TYPE, /body is empty$/],
    ['text/json', success, 'text/json', /content type is not JSON$/],
    ['other fields', { payload: 7 }, JSON_TYPE, /check the variant$/],
  ])('says of %s what is wrong', async (_title, body, contentType, words) => {
    const error = await errorOf(answer(body, 200, contentType));
    expect(error).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
      message: expect.stringMatching(words),
    });
    expect(String(error)).not.toContain('Notice');
  });

  it.each(UNDOCUMENTED)(
    '%s is none where a missing payload is accepted',
    async (_title, ...told) => {
      startClient({ acceptMissingPayload: true });
      const [body, status, contentType] = told;
      expect(await errorOf(answer(body, status, contentType))).toBeInstanceOf(GatewayResponseError);
    },
  );

  it.each([
    ['an error under 200', { ...success, errors: [{ code: 2107, message: 'x' }] }, 200, 2107],
    ['an error with a code as digits', { errors: [{ code: '2107' }] }, 401, 2107],
    ['a code nobody documented', { errors: [{ code: 4711 }] }, 422, 4711],
    ['429 in an envelope', { status_code: 429 }, 429, null],
    ['503 in an envelope', { status_code: '503' }, 503, null],
  ])('%s is a rejection', async (_title, body, status, gatewayCode) => {
    const error = await errorOf(answer(body, status));
    expect(error).toBeInstanceOf(GatewayRejectedError);
    expect(error).toMatchObject({ gatewayCode, httpStatus: status });
  });
});

/** The predicate again, in other words than the code's. */
function saysSuccess(status: number, body: unknown): boolean {
  if (status !== 200 && status !== 201) return false;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const {
    status_code: statusCode = 200,
    errors = null,
    payload = 'missing',
  } = body as Record<string, unknown>;
  const hasNoErrors = errors === null || JSON.stringify(errors) === '[]';
  return (
    [200, 201, '200', '201'].includes(statusCode as string) &&
    hasNoErrors &&
    ['""', 'null', '{}'].includes(JSON.stringify(payload))
  );
}

const member = fc.oneof(
  fc.constantFrom(
    '',
    null,
    {},
    [],
    0,
    1,
    true,
    false,
    'ok',
    200,
    201,
    '200',
    401,
    [{ code: 2107 }],
    [{}],
    { a: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const envelope = fc.record(
  { status_code: member, status_message: member, payload: member, errors: member },
  { requiredKeys: [] },
);

it('nothing else is ever taken for a success', async () => {
  const status = fc.constantFrom(200, 200, 201, 202, 203, 400, 401, 404, 429, 500);
  await fc.assert(
    fc.asyncProperty(
      status,
      fc.oneof(envelope, fc.jsonValue({ maxDepth: 2 })),
      async (httpStatus, body) => {
        const isSuccess = await answer(JSON.stringify(body), httpStatus).then(
          () => true,
          () => false,
        );
        expect(isSuccess).toBe(saysSuccess(httpStatus, body));
      },
    ),
    { numRuns: casesOf(500) },
  );
});

it('any text at all settles the call with an error of ours', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 9, maxLength: 60 }), async (text) => {
      const error = await errorOf(answer(text));
      expect(error).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
      expect(error.message).not.toContain(text);
    }),
    { numRuns: casesOf(200) },
  );
});
