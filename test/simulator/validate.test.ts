import { describe, expect, it } from '@jest/globals';
import { ALICE, BOB, codeOf, PATHS, startLoggedIn, VARIANTS, wrongPin } from './gateway';

describe.each(VARIANTS)('validate, variant %s', (variant) => {
  const expected = (codes: { readonly A: number; readonly B: number }) => [422, codes[variant]];

  it('answers the right pin with 200 and an empty string', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    const reply = await gateway.validate(id, pin);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ status_code: 200, status_message: 'OK', payload: '' });
  });

  it('takes the id as the answer to generate has it', async () => {
    const gateway = await startLoggedIn({ variant });
    const { payload } = (await gateway.generate()).body;
    const { id } = payload as { id: string | number };
    expect((await gateway.validate(String(id), gateway.sim.lastPin(ALICE))).status).toBe(200);
  });

  it('takes the number as a JSON number', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    expect((await gateway.validate(id, pin, 12025550123)).status).toBe(200);
  });

  it('refuses a wrong pin and takes the right one afterwards', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    for (const wrong of [wrongPin(pin), pin.slice(1), `${pin}0`]) {
      const reply = await gateway.validate(id, wrong);
      expect([reply.status, codeOf(reply)]).toEqual(expected({ A: 2107, B: 2120 }));
      expect(reply.body).not.toHaveProperty('payload');
    }
    expect((await gateway.validate(id, pin)).status).toBe(200);
  });

  it('refuses the pin of another id and of another number', async () => {
    const gateway = await startLoggedIn({ variant });
    const first = await gateway.send();
    const second = await gateway.send({ mobile: BOB });
    const codes = { A: 2107, B: 2120 };
    const crossed = [
      await gateway.validate(first.id, first.pin, BOB),
      await gateway.validate(second.id, first.pin, ALICE),
      await gateway.validate('4711', first.pin),
    ];
    for (const reply of crossed) expect([reply.status, codeOf(reply)]).toEqual(expected(codes));
  });

  it('refuses a consumed pin: A 2107, B 2109', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    await gateway.validate(id, pin);
    const reply = await gateway.validate(id, pin);
    expect([reply.status, codeOf(reply)]).toEqual(expected({ A: 2107, B: 2109 }));
  });

  it('refuses an expired pin: A 2107, B 2108', async () => {
    const gateway = await startLoggedIn({ variant, now: () => 1_700_000_000_000 });
    const early = await gateway.send({ validity: 120 });
    gateway.sim.advanceSeconds(119);
    expect((await gateway.validate(early.id, early.pin)).status).toBe(200);
    const late = await gateway.send({ validity: 120 });
    gateway.sim.advanceSeconds(120);
    const reply = await gateway.validate(late.id, late.pin);
    expect([reply.status, codeOf(reply)]).toEqual(expected({ A: 2107, B: 2108 }));
  });

  it.each([undefined, 123456, '', '12a456', '１２３４５６', ['123456'], null])(
    'refuses the pin %j: 2107',
    async (pin) => {
      const gateway = await startLoggedIn({ variant });
      const { id } = await gateway.send();
      expect(codeOf(await gateway.validate(id, pin))).toBe(2107);
    },
  );

  it('refuses an odd number: 2103', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    expect(codeOf(await gateway.validate(id, pin, 'nobody'))).toBe(2103);
  });

  it('keeps several pins of one number alive', async () => {
    const gateway = await startLoggedIn({ variant });
    const first = await gateway.send();
    const second = await gateway.send();
    expect((await gateway.validate(first.id, first.pin)).status).toBe(200);
    expect((await gateway.validate(second.id, second.pin)).status).toBe(200);
  });

  it('lets exactly one of many right pins at once succeed', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    const replies = await Promise.all(Array.from({ length: 20 }, () => gateway.validate(id, pin)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('counts the calls by id', async () => {
    const gateway = await startLoggedIn({ variant });
    const { id, pin } = await gateway.send();
    await gateway.validate(id, wrongPin(pin));
    await gateway.validate(id, pin);
    const { validatesById, validated, sent, refusals } = gateway.sim.stats();
    expect(validatesById).toEqual({ [id]: 2 });
    expect([validated, sent, refusals]).toEqual([1, 1, { [{ A: 2107, B: 2120 }[variant]]: 1 }]);
  });

  it.each(['', 'a/b', '%', '%E0%A4%A'])(
    'does not know the URI of the raw id %j: 1007',
    async (raw) => {
      const gateway = await startLoggedIn({ variant });
      const reply = await gateway.post(PATHS.validate + raw, { mobile: ALICE, pin: '123456' });
      expect([reply.status, codeOf(reply)]).toEqual([404, 1007]);
    },
  );
});
