import { beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayRejectedError, type OtpGateway, type OtpText } from 'passport-sms-otp';
import { GatewayClient, otpGateway } from 'passport-sms-otp/client';
import { failover } from '../../docs/recipes/failover';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';

const TEXT: OtpText = {
  to: '+12025550123',
  message: 'Code [PIN]',
  sender: undefined,
  validitySeconds: 300,
};

let [first, second] = [new FakeGateway(), new FakeGateway()];
let reported: unknown[];
let both: OtpGateway;
beforeEach(() => {
  [first, second] = [new FakeGateway(), new FakeGateway()];
  reported = [];
  both = failover(first, second, (error) => reported.push(error));
});

function fail(mayHaveArrived: boolean | undefined): Error {
  const error = new GatewayRejectedError('generate', { httpStatus: 503, mayHaveArrived });
  first.answerGenerate = () => {
    throw error;
  };
  return error;
}

describe('the recipe of two gateways', () => {
  it('texts with the first one, which judges its codes', async () => {
    const { id } = await both.generate(TEXT);
    expect([first.texts.length, second.texts.length]).toEqual([1, 0]);
    const typed = { id, to: TEXT.to, pin: first.lastPin(TEXT.to) };
    expect(await both.validate(typed)).toBe('right');
    expect(second.typed).toEqual([]);
    expect(reported).toEqual([]);
  });

  it('texts with the second one when the first one has surely sent nothing', async () => {
    const error = fail(false);
    const { id } = await both.generate(TEXT);
    const typed = { id, to: TEXT.to, pin: second.lastPin(TEXT.to) };
    expect(await both.validate(typed)).toBe('right');
    expect(first.typed).toEqual([]);
    expect(reported).toEqual([error]);
  });

  it.each([true, undefined])('never texts twice: mayHaveArrived %p', async (mayHaveArrived) => {
    const error = fail(mayHaveArrived);
    await expect(both.generate(TEXT)).rejects.toBe(error);
    expect(second.texts).toEqual([]);
    first.answerGenerate = () => {
      throw new Error('who knows');
    };
    await expect(both.generate(TEXT)).rejects.toThrow('who knows');
    expect(second.texts).toEqual([]);
  });

  it.each(['', 'fake-1', '2:fake-1', '0:', '01:fake-1'])(
    'says that a code is over under an id of neither: %j',
    async (id) => {
      expect(await both.validate({ id, to: TEXT.to, pin: '100000' })).toBe('over');
      expect([first.typed, second.typed]).toEqual([[], []]);
    },
  );

  it('promises texts of ours only where both write them', () => {
    const without: OtpGateway = Object.assign(new FakeGateway(), { writesMessages: false });
    expect(both.writesMessages).toBe(true);
    expect(failover(first, without).writesMessages).toBe(false);
    expect(failover(without, second).writesMessages).toBe(false);
  });
});

describe('a login with the client and a gateway behind it', () => {
  const test = useOwnApps();
  const visitor = visit(test);

  it('gets its text from the other one while the client cannot be reached', async () => {
    const { sim } = await test.start();
    const { baseUrl, username, password } = sim;
    const client = new GatewayClient({ baseUrl, variant: 'A', username, password });
    const { sim: own } = await test.start({
      options: { gateway: failover(otpGateway(client), second) },
    });
    await visitor.login();
    expect(seen(await visitor.enter(sim.lastPin(ALICE.phone ?? '')))[0]).toBe(200);
    await sim.close();
    await visitor.logout();
    test.clock.advanceSeconds(600);
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect((await visitor.enter(second.lastPin(ALICE.phone))).status).toBe(200);
    expect(own.stats().sent).toBe(0);
    await client.close();
  });
});
