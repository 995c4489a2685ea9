import { describe, expect, it } from '@jest/globals';
import type { SimulatorOptions } from 'passport-sms-otp/simulator';
import {
  ALICE,
  codeOf,
  PATHS,
  start,
  startLoggedIn,
  wrongPin,
  type Gateway,
  type Reply,
} from './gateway';

type Readings = SimulatorOptions['readings'];

function open(readings: Readings, variant: 'A' | 'B' = 'A'): Promise<Gateway> {
  return startLoggedIn({ variant, readings });
}

describe('readings of the envelope', () => {
  it('httpStatusByCode gives a code another status', async () => {
    const gateway = await open({ httpStatusByCode: { 2103: 400, 1005: 418 } });
    expect(await gateway.generate({ mobile: 'x' })).toMatchObject({
      status: 400,
      body: { status_code: 400 },
    });
    expect((await gateway.refresh('x')).status).toBe(418);
    expect((await gateway.generate({ sender: 'x' })).status).toBe(422);
  });

  it.each([200, 400])('errorStatus gives every failure the status %d', async (errorStatus) => {
    const gateway = await open({ errorStatus });
    const replies = [
      await gateway.generate({ mobile: 'x' }),
      await gateway.refresh('x'),
      await gateway.get('/nowhere'),
      await gateway.call('POST', PATHS.generate, []),
    ];
    expect(replies.map((reply) => [reply.status, reply.body.status_code, codeOf(reply)])).toEqual([
      [errorStatus, errorStatus, 2103],
      [errorStatus, errorStatus, 1005],
      [errorStatus, errorStatus, 1007],
      [errorStatus, errorStatus, 2103],
    ]);
    expect((await gateway.balance()).status).toBe(200);
  });

  it.each([
    ['null', null],
    ['empty-string', ''],
    ['empty-object', {}],
  ] as const)(
    'failurePayload %s puts a payload beside the errors',
    async (failurePayload, payload) => {
      const { body } = await (await open({ failurePayload })).generate({ mobile: 'x' });
      expect(body).toMatchObject({ payload, errors: [{ code: 2103 }] });
    },
  );

  it.each([
    ['empty', []],
    ['null', null],
  ] as const)('successErrors %s puts errors beside the payload', async (successErrors, errors) => {
    const { body } = await (await open({ successErrors })).balance();
    expect(body).toEqual({
      status_code: 200,
      status_message: 'OK',
      payload: { balance: '100.0000' },
      errors,
    });
  });

  it('codesAs string writes codes as digits', async () => {
    expect(codeOf(await (await open({ codesAs: 'string' })).generate({ mobile: 'x' }))).toBe(
      '2103',
    );
  });

  it('statusCodeAs string writes the status as digits', async () => {
    const gateway = await open({ statusCodeAs: 'string' });
    expect((await gateway.generate()).body.status_code).toBe('201');
    expect((await gateway.get('/nowhere')).body.status_code).toBe('404');
  });

  it.each([
    ['missing', undefined, undefined],
    ['other', 200, 400],
  ] as const)(
    'statusCodeAs %s writes %p with HTTP 201 and %p with HTTP 404',
    async (statusCodeAs, created, notFound) => {
      const gateway = await open({ statusCodeAs });
      const replies = [await gateway.generate(), await gateway.get('/nowhere')];
      expect(replies.map(({ status, body }) => [status, body.status_code])).toEqual([
        [201, created],
        [404, notFound],
      ]);
    },
  );

  it('statusCodeAs other differs from HTTP 200 too', async () => {
    const { status, body } = await (await open({ statusCodeAs: 'other' })).balance();
    expect([status, body.status_code]).toEqual([200, 201]);
  });

  it('statusMessage missing leaves status_message out of every answer', async () => {
    const gateway = await open({ statusMessage: 'missing' });
    expect((await gateway.balance()).body).toEqual({
      status_code: 200,
      payload: { balance: '100.0000' },
    });
    expect((await gateway.get('/nowhere')).body).not.toHaveProperty('status_message');
  });

  it('errorMessage missing leaves the code of an error alone', async () => {
    const { body } = await (await open({ errorMessage: 'missing' })).generate({ mobile: 'x' });
    expect(body.errors).toEqual([{ code: 2103 }]);
  });

  it('extraFields adds a field to the envelope, to objects in the payload and to errors', async () => {
    const gateway = await open({ extraFields: true });
    const undocumented = { added: true };
    expect((await gateway.balance()).body).toEqual({
      status_code: 200,
      status_message: 'OK',
      payload: { balance: '100.0000', undocumented },
      undocumented,
    });
    expect((await gateway.generate({ mobile: 'x' })).body).toMatchObject({
      errors: [{ code: 2103, undocumented }],
      undocumented,
    });
    const { id, pin } = await gateway.send();
    expect((await gateway.validate(id, pin)).body).toMatchObject({ payload: '', undocumented });
  });

  it('contentType is the type of every answer', async () => {
    const gateway = await open({ contentType: 'application/json;charset=UTF-8' });
    expect((await gateway.balance()).headers.get('content-type')).toBe(
      'application/json;charset=UTF-8',
    );
  });
});

describe('errorsListed', () => {
  const codesOf = ({ body }: Reply) => body.errors?.map(({ code }) => code);
  const broken = { mobile: 'x', sender: 'x', validity: 0, message: 'x', reference_code: 5 };

  it.each([
    ['first', [2103]],
    ['all', [2103, 2104, 2110, 2105, 2105]],
  ] as const)(
    '%s: a generate request with five broken rules gets %j',
    async (errorsListed, codes) => {
      const gateway = await open({ errorsListed });
      expect(codesOf(await gateway.generate(broken))).toEqual(codes);
      expect(gateway.sim.stats().refusals).toEqual({ 2103: 1 });
    },
  );

  it.each([
    ['first', [1002]],
    ['all', [1002, 1003]],
  ] as const)(
    '%s: credentials without username and password get %j',
    async (errorsListed, codes) => {
      const gateway = await start({ readings: { errorsListed } });
      expect(codesOf(await gateway.post(PATHS.auth, { type: 'access_token' }))).toEqual(codes);
    },
  );

  it.each([
    ['first', [2120]],
    ['all', [2120, 2109]],
  ] as const)('%s: a wrong pin for a consumed OTP of B gets %j', async (errorsListed, codes) => {
    const gateway = await open({ errorsListed }, 'B');
    const { id, pin } = await gateway.send();
    await gateway.validate(id, pin);
    expect(codesOf(await gateway.validate(id, wrongPin(pin)))).toEqual(codes);
    expect(codesOf(await gateway.validate(id, pin))).toEqual([2109]);
  });
});

describe('readings of requests', () => {
  it.each([
    [{ mobile: 'string', validity: 'number' }, '12025550123', 300],
    [{ mobile: 'number', validity: 'string' }, 12025550123, '300'],
  ] as const)(
    'numericMembers %j chooses the form of each field',
    async (numericMembers, mobile, validity) => {
      const gateway = await open({ numericMembers });
      const other = (value: string | number) =>
        typeof value === 'number' ? String(value) : Number(value);
      expect((await gateway.generate({ mobile, validity })).status).toBe(201);
      expect(codeOf(await gateway.generate({ mobile: other(mobile), validity }))).toBe(2103);
      expect(codeOf(await gateway.generate({ mobile, validity: other(validity) }))).toBe(2110);
    },
  );

  it('numericMembers takes both forms of a field that its object leaves out', async () => {
    const gateway = await open({ numericMembers: { mobile: 'string' } });
    expect((await gateway.generate({ validity: 300 })).status).toBe(201);
    expect((await gateway.generate({ validity: '300' })).status).toBe(201);
    expect(codeOf(await gateway.generate({ mobile: 12025550123 }))).toBe(2103);
  });

  it.each([
    ['number', 12025550123, '12025550123'],
    ['string', '12025550123', 12025550123],
  ] as const)(
    'numericMembers %s takes %j and refuses %j',
    async (numericMembers, taken, refused) => {
      const gateway = await open({ numericMembers });
      expect((await gateway.generate({ mobile: taken })).status).toBe(201);
      expect(codeOf(await gateway.generate({ mobile: refused }))).toBe(2103);
      const validity = numericMembers === 'number' ? '300' : 300;
      expect(codeOf(await gateway.generate({ mobile: taken, validity }))).toBe(2110);
      expect((await gateway.get(PATHS.lookup + ALICE)).status).toBe(200);
    },
  );

  it('acceptsPlus takes numbers with a plus', async () => {
    const gateway = await open({ acceptsPlus: true });
    const { id, pin } = await gateway.send({ mobile: '+12025550123' });
    expect((await gateway.validate(id, pin, '+12025550123')).status).toBe(200);
    expect((await gateway.get(PATHS.lookup + '+12025550123')).status).toBe(200);
  });

  it('requiresJsonContentType false takes bodies of any type', async () => {
    const init = { headers: { 'content-type': 'text/plain' }, body: '{"mobile":"12025550123"}' };
    const strict = await (await open({})).fetch('POST', PATHS.generate, init);
    expect(strict.status).toBe(400);
    const loose = await (
      await open({ requiresJsonContentType: false })
    ).fetch('POST', PATHS.generate, init);
    expect(loose.status).toBe(201);
  });

  it('missingCredentials 1004 has no codes of its own for them', async () => {
    const gateway = await start({ readings: { missingCredentials: '1004' } });
    expect(codeOf(await gateway.post(PATHS.auth, { type: 'access_token' }))).toBe(1004);
    expect(codeOf(await gateway.post(PATHS.auth, { type: 'access_token', username: 'demo' }))).toBe(
      1004,
    );
  });
});
