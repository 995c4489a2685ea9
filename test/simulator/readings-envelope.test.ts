import { describe, expect, it } from '@jest/globals';
import type { Readings } from 'passport-sms-otp/simulator';
import { ALICE, codeOf, PATHS, start, startLoggedIn, type Gateway } from './gateway';

function open(readings: Partial<Readings>, variant: 'A' | 'B' = 'A'): Promise<Gateway> {
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
  ] as const)('failurePayload %s puts a payload beside the errors', async (failurePayload, payload) => {
    const { body } = await (await open({ failurePayload })).generate({ mobile: 'x' });
    expect(body).toMatchObject({ payload, errors: [{ code: 2103 }] });
  });

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
    expect(codeOf(await (await open({ codesAs: 'string' })).generate({ mobile: 'x' }))).toBe('2103');
  });

  it('statusCodeAs string writes the status as digits', async () => {
    const gateway = await open({ statusCodeAs: 'string' });
    expect((await gateway.generate()).body.status_code).toBe('201');
    expect((await gateway.get('/nowhere')).body.status_code).toBe('404');
  });

  it('contentType is the type of every answer', async () => {
    const gateway = await open({ contentType: 'application/json;charset=UTF-8' });
    expect((await gateway.balance()).headers.get('content-type')).toBe('application/json;charset=UTF-8');
  });
});

describe('readings of requests', () => {
  it.each([
    ['number', 12025550123, '12025550123'],
    ['string', '12025550123', 12025550123],
  ] as const)('numericMembers %s takes %j and refuses %j', async (numericMembers, taken, refused) => {
    const gateway = await open({ numericMembers });
    expect((await gateway.generate({ mobile: taken })).status).toBe(201);
    expect(codeOf(await gateway.generate({ mobile: refused }))).toBe(2103);
    const validity = numericMembers === 'number' ? '300' : 300;
    expect(codeOf(await gateway.generate({ mobile: taken, validity }))).toBe(2110);
    expect((await gateway.get(PATHS.lookup + ALICE)).status).toBe(200);
  });

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
    const loose = await (await open({ requiresJsonContentType: false })).fetch('POST', PATHS.generate, init);
    expect(loose.status).toBe(201);
  });

  it('missingCredentials 1004 has no codes of its own for them', async () => {
    const gateway = await start({ readings: { missingCredentials: '1004' } });
    expect(codeOf(await gateway.post(PATHS.auth, { type: 'access_token' }))).toBe(1004);
    expect(codeOf(await gateway.post(PATHS.auth, { type: 'access_token', username: 'demo' }))).toBe(1004);
  });
});
