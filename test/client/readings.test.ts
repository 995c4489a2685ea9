import { describe, expect, it } from '@jest/globals';
import { GatewayResponseError } from 'passport-sms-otp/client';
import type { Readings } from '../../src/simulator/readings';
import { errorOf, logIn, MOBILE, startGateway } from './support/gateway';

/** Every way to read the documents that the simulator can play, one at a time. */
const values: { readonly [Name in keyof Readings]: readonly Readings[Name][] } = {
  httpStatusByCode: [{ 1009: 403, 2107: 404, 2120: 500 }, { 1009: 200 }],
  errorStatus: ['mapped', 200, 422, 500],
  failurePayload: ['absent', 'null', 'empty-string', 'empty-object'],
  successErrors: ['absent', 'empty', 'null'],
  errorsListed: ['first', 'all'],
  errorMessage: ['text', 'missing'],
  codesAs: ['number', 'string'],
  statusCodeAs: ['number', 'string', 'missing', 'other'],
  statusMessage: ['text', 'missing'],
  extraFields: [true, false],
  contentType: [
    'application/json',
    'application/json; charset=utf-8',
    'application/vnd.gateway+json',
  ],
  numericMembers: ['either', 'string', { mobile: 'string', validity: 'string' }],
  acceptsPlus: [true, false],
  requiresJsonContentType: [true, false],
  missingCredentials: ['own', '1004'],
  validityPeriodAs: ['number', 'string', 'missing', 'zero', 'text'],
  refreshEndsAccessToken: [true, false],
  refreshEndsRefreshToken: [true, false],
  refreshReturns: ['new', 'same'],
  refreshKeepsValidity: [true, false],
  refreshTakesValidity: [true, false],
  refreshTokenLife: ['outlives', 'same'],
  loginEndsRefreshTokens: [true, false],
  preservedValidity: ['remaining', 'full', 'renewed'],
  preservedRefreshToken: ['same', 'new', 'missing'],
  generateStatus: [200, 201],
  mobileAs: ['digits', 'number', 'plus'],
  idAlphabet: ['hex', 'hostile'],
  idAs: ['number', 'string'],
  idSize: ['safe'],
  costAs: ['string', 'number'],
  moneyDecimals: [0, 2, 6],
  networkCodesAs: ['string', 'number'],
  validUntilAs: ['epoch-seconds', 'epoch-ms', 'duration-seconds'],
  validUntilType: ['number', 'string'],
  messageMember: ['message', 'imessaged', 'both'],
  missingReferenceCode: ['absent', 'empty', 'null'],
  longReferenceCode: [2105, 422, 'cut'],
  validityRangeB: [null, { min: 1, max: 1800 }],
  firstPinDigit: ['zero', 'not-zero'],
  placeholdersFilled: ['first', 'all'],
  measured: ['both', 'template', 'text'],
  measuredIn: ['mixed', 'units', 'characters'],
  extensionCharacters: ['gsm-7', 'ucs-2'],
  bracketsCount: [true, false],
  emptyBalanceCode: [1006, null],
  noPermissionCodeA: [2121, 2100],
  codesOfA: ['listed', 'finer'],
  validatePayload: ['empty-string', 'null', 'empty-object'],
  newPinEndsOld: [true, false],
  judgedFirst: ['pin', 'state'],
  unknownId: ['invalid-pin', 'uri-not-found'],
  maxWrongPins: [3, null],
  invalidPhoneCode: [1221, 2003],
  invalidLookup: ['bare', 'full'],
  invalidLookupCosts: [true, false],
};

const readings = Object.entries(values).flatMap(([name, list]) =>
  list.map((value): [string, Partial<Readings>] => [
    `${name}: ${JSON.stringify(value)}`,
    { [name]: value },
  ]),
);

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  it.each(readings)('logs in where the gateway reads %s', async (_title, reading) => {
    const gateway = await startGateway(variant, {}, { readings: reading });
    await logIn(gateway);
    gateway.simulator.advanceSeconds(1_801);
    await logIn(gateway);
    gateway.clock.advanceSeconds(1_801);
    await logIn(gateway);
    expect(gateway.simulator.stats().validated).toBe(3);
    await expect(gateway.client.otp.balance()).resolves.toHaveProperty('balance');
    await expect(gateway.client.hlr.lookup(MOBILE)).resolves.toMatchObject({ phone: MOBILE });
  });

  it.each([4, 10])('logs in with a pin of %i digits', async (pinDigits) => {
    const gateway = await startGateway(variant, {}, { pinDigits });
    await logIn(gateway);
    expect(gateway.simulator.stats().validated).toBe(1);
  });

  it('logs in where numbers must be JSON numbers, if told so', async () => {
    const gateway = await startGateway(
      variant,
      { numbersAs: 'number' },
      { readings: { numericMembers: 'number' } },
    );
    await logIn(gateway);
    expect(gateway.simulator.stats().validated).toBe(1);
  });

  it('logs in where every object has a field that no document lists, and validate answers with an empty one', async () => {
    const readings = { extraFields: true, validatePayload: 'empty-object' } as const;
    const gateway = await startGateway(variant, {}, { readings });
    await logIn(gateway);
    expect(gateway.simulator.stats().validated).toBe(1);
  });

  it('takes a validate answer without payload for success only if told so', async () => {
    const readings = { validatePayload: 'missing' } as const;
    const strict = await startGateway(variant, {}, { readings });
    expect(await errorOf(logIn(strict))).toBeInstanceOf(GatewayResponseError);
    const told = await startGateway(variant, { acceptMissingPayload: true }, { readings });
    await logIn(told);
    expect(told.simulator.stats().validated).toBe(1);
  });
});

it.each(['number', 'string'] as const)(
  'an id of B beyond 2^53 as a %s arrives with every digit',
  async (idAs) => {
    const gateway = await startGateway('B', {}, { readings: { idSize: 'beyond-safe', idAs } });
    await logIn(gateway);
    expect(gateway.simulator.stats().validated).toBe(1);
  },
);

it('hostile ids of A arrive at the gateway as they were given', async () => {
  const gateway = await startGateway('A', {}, { readings: { idAlphabet: 'hostile' } });
  for (let login = 0; login < 20; login += 1) await logIn(gateway);
  const { validatesById, validated } = gateway.simulator.stats();
  expect(validated).toBe(20);
  expect(Object.keys(validatesById)).toHaveLength(20);
});
