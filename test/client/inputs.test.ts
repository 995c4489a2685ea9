import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startGateway } from './support/gateway';
import { sendPayload, startWireServer } from './support/wire-server';

type Call = (client: GatewayClient) => Promise<unknown>;

const generate =
  (input: object): Call =>
  (client) =>
    client.otp.generate({ mobile: MOBILE, ...input });
const validate =
  (input: object): Call =>
  (client) =>
    client.otp.validate({ id: '7', mobile: MOBILE, pin: '123456', ...input });

const wrong: readonly (readonly [string, RegExp, Call])[] = [
  ['a number that is none', /^mobile /, generate({ mobile: '2025550123x' })],
  ['a number with two pluses', /^mobile /, generate({ mobile: '++12025550123' })],
  ['a list of numbers', /^mobile /, generate({ mobile: [MOBILE] })],
  ['a sender of one character', /^sender /, generate({ sender: 'x' })],
  ['a sender of 13 digits', /^sender /, generate({ sender: '1234567890123' })],
  ['a message without [PIN]', /^message /, generate({ message: 'Hello' })],
  ['a message with two [PIN]', /^message /, generate({ message: '[PIN] [PIN]' })],
  ['a message that is too long', /^message /, generate({ message: `[PIN]${'x'.repeat(156)}` })],
  ['a validity of half a second', /^validitySeconds /, generate({ validitySeconds: 0.5 })],
  ['an empty id', /^id /, validate({ id: '' })],
  ['an id that climbs', /^id /, validate({ id: '..' })],
  ['an id with a line feed', /^id /, validate({ id: '7\n' })],
  ['a pin that is a number', /^pin /, validate({ pin: 123456 })],
  ['a pin with a letter', /^pin /, validate({ pin: '12345a' })],
  ['a pin of eleven digits', /^pin /, validate({ pin: '12345678901' })],
  ['another number that is none', /^mobile /, validate({ mobile: '' })],
  ['no object', /^the input must be an object$/, (client) => client.otp.generate(7 as never)],
  [
    'a field of the wire',
    /^unknown field validity, did you mean validitySeconds\?$/,
    generate({ validity: 60 }),
  ],
  [
    'a field of another gateway',
    /^unknown field senderId, did you mean sender\?$/,
    generate({ senderId: 'X' }),
  ],
  [
    'a misspelt field',
    /^unknown field mesage, did you mean message\?$/,
    generate({ mesage: '[PIN]' }),
  ],
  ['a field that is undefined', /^unknown field to$/, generate({ to: undefined })],
  ['the option of a call', /^unknown field signal$/, validate({ signal: undefined })],
  [
    'a misspelt field in the place of another',
    /^unknown field mobil, did you mean mobile\?$/,
    (client) => client.otp.check({ id: '7', mobil: MOBILE, pin: '123456' } as never),
  ],
  ['a lookup of a path', /^mobile /, (client) => client.hlr.lookup('../balance')],
];

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  it.each(wrong)('%s is a TypeError, and nothing is sent', async (_title, problem, call) => {
    const { client, simulator } = await startGateway(variant);
    const error = await errorOf(call(client));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(problem);
    expect(Object.values(simulator.stats().calls).every((count) => count === 0)).toBe(true);
  });
});

it.each([
  ['a validity below two minutes in A', 'A', generate({ validitySeconds: 119 })],
  ['a reference code of 51 characters in A', 'A', generate({ referenceCode: 'x'.repeat(51) })],
  ['a reference code in B', 'B', generate({ referenceCode: 'x' })],
  ['a validity of an hour in A', 'A', generate({ validitySeconds: 3600 })],
  ['an id of letters in B', 'B', validate({ id: 'abc' })],
  ['an id of 21 digits in B', 'B', validate({ id: '1'.repeat(21) })],
] as const)('%s is a TypeError', async (_title, variant, call) => {
  const { client, simulator } = await startGateway(variant);
  expect(await errorOf(call(client))).toBeInstanceOf(TypeError);
  expect(simulator.stats().calls.auth).toBe(0);
});

it.each([
  [undefined, { mobile: '12025550123', validity: '300' }],
  ['number', { mobile: 12025550123, validity: 300 }],
  [
    { mobile: 'string', validity: 'number' },
    { mobile: '12025550123', validity: 300 },
  ],
  [
    { mobile: 'number', validity: 'string' },
    { mobile: 12025550123, validity: '300' },
  ],
  [{ mobile: 'number' }, { mobile: 12025550123, validity: '300' }],
  [{}, { mobile: '12025550123', validity: '300' }],
] as const)('numbersAs %j chooses the form of each numeric field', async (numbersAs, body) => {
  const wire = await startWireServer((response, { url }) =>
    sendPayload(response, url.endsWith('generate') ? { id: 7, mobile: '12025550123' } : ''),
  );
  const account = { baseUrl: wire.baseUrl, variant: 'B', username: 'u', password: 'p' } as const;
  const client = new GatewayClient({ ...account, numbersAs });
  closeLater(() => client.close(0));
  const { id } = await client.otp.generate({ mobile: MOBILE, validitySeconds: 300 });
  await client.otp.validate({ id, mobile: MOBILE, pin: '123456' });
  expect(wire.requests.map((request): unknown => JSON.parse(request.body))).toEqual([
    body,
    { mobile: body.mobile, pin: '123456' },
  ]);
});

it('a message of 160 characters that needs a second segment is sent only where that is allowed', async () => {
  const message = `[PIN]${'€'.repeat(155)}`;
  const { client } = await startGateway('A');
  expect(await errorOf(client.otp.generate({ mobile: MOBILE, message }))).toBeInstanceOf(TypeError);
  const wire = await startWireServer((response) =>
    sendPayload(response, { id: 'x', mobile: '12025550123' }),
  );
  const account = { baseUrl: wire.baseUrl, variant: 'A', username: 'u', password: 'p' } as const;
  const generous = new GatewayClient({ ...account, allowSecondSegment: true });
  closeLater(() => generous.close(0));
  await expect(generous.otp.generate({ mobile: MOBILE, message })).resolves.toMatchObject({
    id: 'x',
  });
  const tooLong = generous.otp.generate({ mobile: MOBILE, message: `${message}€` });
  expect(await errorOf(tooLong)).toBeInstanceOf(TypeError);
});

it('the longest pin a message is measured with can be set', async () => {
  const { client } = await startGateway('A', { maxCodeDigits: 4 });
  const message = `[PIN]${'x'.repeat(153)}`;
  await expect(client.otp.generate({ mobile: MOBILE, message })).resolves.toMatchObject({
    message,
  });
  const { client: careful } = await startGateway('A');
  expect(await errorOf(careful.otp.generate({ mobile: MOBILE, message }))).toBeInstanceOf(
    TypeError,
  );
});
