import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  GatewayBusyError,
  GatewayRejectedError,
  type OtpGateway,
  type PinVerdict,
  type TextedOtp,
} from 'passport-sms-otp';
import { smsGateway, type SmsGatewayOptions } from 'passport-sms-otp/sms-gateway';
import { testClock, type TestClock } from '../support/clock';
import { answering, tamperedStore, throwing, type TamperedStore } from '../support/tampered-store';

const SECRET = 'a secret of the tests, long enough to be one';
const OTHER_SECRET = 'another secret of the tests, as long as it';
const [ALICE, BOB] = ['+12025550123', '+12025550124'] as const;

interface Sms {
  readonly to: string;
  readonly text: string;
}

let clock: TestClock;
let tampered: TamperedStore;
let sent: Sms[];

beforeEach(() => {
  clock = testClock();
  tampered = tamperedStore(clock);
  sent = [];
});

function make(options: Partial<SmsGatewayOptions> = {}): OtpGateway {
  return smsGateway({
    sendSms: (to, text) => void sent.push({ to, text }),
    store: tampered.store,
    secret: SECRET,
    now: () => clock.now(),
    ...options,
  });
}

function text(gateway: OtpGateway, to: string = ALICE): Promise<TextedOtp> {
  const message = 'Your code is [PIN].';
  return gateway.generate({ to, message, sender: undefined, validitySeconds: 300 });
}

const lastPin = (): string => /\d+/.exec(sent.at(-1)?.text ?? '')?.[0] ?? 'none';
const wrongPin = (): string => String((Number(lastPin()) + 1) % 1_000_000).padStart(6, '0');

function judge(gateway: OtpGateway, id: string, pin = lastPin()): Promise<PinVerdict> {
  return gateway.validate({ id, to: ALICE, pin });
}

async function judgeWrongly(gateway: OtpGateway, id: string, times: number): Promise<PinVerdict[]> {
  const verdicts: PinVerdict[] = [];
  for (let time = 0; time < times; time += 1) verdicts.push(await judge(gateway, id, wrongPin()));
  return verdicts;
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a text', () => {
  it('holds the code in the place of [PIN], once and to the number, and the id tells nothing of it', async () => {
    const { id, validitySeconds } = await text(make());
    expect(sent).toEqual([{ to: ALICE, text: `Your code is ${lastPin()}.` }]);
    expect(lastPin()).toMatch(/^[0-9]{6}$/);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(validitySeconds).toBe(300);
  });

  it('has its sender passed on', async () => {
    const senders: unknown[] = [];
    const gateway = make({ sendSms: (...given) => void senders.push(given[2]) });
    const asked = { to: ALICE, message: '[PIN]', validitySeconds: 300 };
    await gateway.generate({ ...asked, sender: 'Bank' });
    await gateway.generate({ ...asked, sender: undefined });
    expect(senders).toEqual([{ sender: 'Bank' }, { sender: undefined }]);
  });

  it('keeps every other character as it is', async () => {
    const message = "$& $1 $$ $' `\\ \u{1f512} [PIN] @example.com #[";
    await make().generate({ to: ALICE, message, sender: undefined, validitySeconds: 300 });
    expect(sent[0]?.text.replace(/\d{6}/, '[PIN]')).toBe(message);
  });

  it.each([6, 8, 10])('has a code of %i digits, leading zeros included', async (digits) => {
    const gateway = make({ digits });
    const pins: string[] = [];
    for (let count = 0; count < 400; count += 1) {
      await text(gateway);
      pins.push(lastPin());
    }
    expect(pins.filter((pin) => pin.length !== digits)).toEqual([]);
    // All of them without one: 0.9 to the power of 400.
    expect(pins.some((pin) => pin.startsWith('0'))).toBe(true);
    expect(new Set(pins).size).toBeGreaterThan(390);
  });

  it('goes out after the digest of its code was written, which holds neither code nor number', async () => {
    const written: string[] = [];
    const gateway = make({
      sendSms: (to, words) => {
        written.push(...tampered.calls.map(({ call }) => call));
        sent.push({ to, text: words });
      },
    });
    await text(gateway);
    expect(written).toEqual(['records.put']);
    const kept = JSON.stringify(tampered.calls.map(({ given }) => given));
    expect(kept).toContain('"digest');
    expect(kept).not.toContain(lastPin());
    expect(kept).not.toContain(ALICE.slice(1));
  });
});

describe('a code', () => {
  it('is right once', async () => {
    const gateway = make();
    const { id } = await text(gateway);
    expect(await judge(gateway, id)).toBe('right');
    expect(await judge(gateway, id)).toBe('over');
  });

  it('is right for one of ten that type it at once, in two processes', async () => {
    const processes = [make(), make()];
    const { id } = await text(make());
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, (_, index) => judge(processes[index % 2] ?? make(), id)),
    );
    expect(verdicts.filter((verdict) => verdict === 'right')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict === 'over')).toHaveLength(9);
  });

  it('is right at the fifth comparison, and over at the sixth', async () => {
    const gateway = make();
    const first = await text(gateway);
    expect(await judgeWrongly(gateway, first.id, 4)).toEqual(Array(4).fill('wrong'));
    expect(await judge(gateway, first.id)).toBe('right');
    const second = await text(gateway);
    expect(await judgeWrongly(gateway, second.id, 6)).toEqual([...Array(5).fill('wrong'), 'over']);
    expect(await judge(gateway, second.id)).toBe('over');
  });

  it('is compared five times at most, however many guesses come at once', async () => {
    const processes = [make(), make(), make()];
    const { id } = await text(make());
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        judge(processes[index % 3] ?? make(), id, wrongPin()),
      ),
    );
    expect(verdicts.filter((verdict) => verdict === 'wrong').length).toBeLessThanOrEqual(5);
    expect(new Set(verdicts)).toEqual(new Set(['wrong', 'over']));
    // The comparisons are used up, and not by half.
    expect(await judgeWrongly(make(), id, 5)).toContain('over');
  });

  it('is over when its time has passed, by the clock that is given', async () => {
    const gateway = make();
    const { id } = await text(gateway);
    clock.advanceSeconds(299);
    expect(await judge(gateway, id, wrongPin())).toBe('wrong');
    clock.advanceSeconds(1);
    expect(await judge(gateway, id)).toBe('over');
  });

  it('is right for its own number and id alone', async () => {
    const gateway = make();
    const [first, second] = [await text(gateway), await text(gateway)];
    expect(await judge(gateway, first.id)).toBe('wrong');
    expect(await gateway.validate({ id: second.id, to: BOB, pin: lastPin() })).toBe('wrong');
    expect(await judge(gateway, second.id)).toBe('right');
  });

  it.each(['', 'x', '..', '__proto__', 'a'.repeat(10_000), 'a\nb'])(
    'is over under an id that was never made: %j',
    async (id) => {
      const gateway = make();
      await text(gateway);
      expect(await judge(gateway, id)).toBe('over');
    },
  );

  it.each([
    ['', 'nothing'],
    ['+', 'a sign before it'],
    ['0', 'a zero before it'],
  ])('is not right with more than its digits: %j before it', async (before) => {
    const gateway = make();
    const { id } = await text(gateway);
    expect(await judge(gateway, id, `${before}${lastPin()} `)).toBe('wrong');
    expect(await judge(gateway, id, lastPin().slice(1))).toBe('wrong');
    expect(await judge(gateway, id)).toBe('right');
  });

  it('is made with the first secret and read with each', async () => {
    const old = await text(make());
    const rotated = make({ secret: [OTHER_SECRET, SECRET] });
    expect(await judge(rotated, old.id)).toBe('right');
    const { id } = await text(rotated);
    expect(await judge(make(), id)).toBe('wrong');
    expect(await judge(make({ secret: OTHER_SECRET }), id)).toBe('right');
  });

  it('is of no use under another id in the store', async () => {
    const gateway = make();
    const [first, second] = [await text(gateway), await text(gateway)];
    const kind = 'texted-code';
    const records = tampered.store.records;
    const stolen = await records.find({ kind, owner: second.id, id: 'code' });
    if (stolen === null) throw new Error('there is no record');
    const value = stolen.value.replace(second.id, first.id);
    const record = { ...stolen, value };
    await records.put({ kind, owner: first.id, record, ttlSeconds: 300 });
    expect(await judge(gateway, first.id)).toBe('wrong');
  });
});

describe('sendSms', () => {
  const thrower = (thrown: unknown) => () => {
    throw thrown;
  };

  it.each<[string, () => unknown, object]>([
    [
      'throws an error',
      thrower(new Error('canary 123456')),
      { code: 'ERR_GATEWAY_RESPONSE', mayHaveArrived: true },
    ],
    [
      'rejects',
      () => Promise.reject(new TypeError('canary 123456')),
      { code: 'ERR_GATEWAY_RESPONSE', mayHaveArrived: true, cause: { name: 'TypeError' } },
    ],
    ['throws nothing', thrower(undefined), { code: 'ERR_GATEWAY_RESPONSE', mayHaveArrived: true }],
    [
      'says that no text went out',
      thrower(Object.assign(new Error('canary'), { mayHaveArrived: false, code: 'ECONNREFUSED' })),
      { code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false, cause: { code: 'ECONNREFUSED' } },
    ],
    [
      'says that one may be out',
      thrower(Object.assign(new Error('canary'), { mayHaveArrived: 'no' })),
      { code: 'ERR_GATEWAY_RESPONSE', mayHaveArrived: true },
    ],
    [
      'throws a rejection of ours',
      thrower(new GatewayRejectedError('generate', { httpStatus: 400, mayHaveArrived: false })),
      { code: 'ERR_GATEWAY_REJECTED', mayHaveArrived: false, httpStatus: 400 },
    ],
    [
      'throws a refusal of ours',
      thrower(new GatewayBusyError('too many', 7)),
      { code: 'ERR_GATEWAY_BUSY', retryAfterSeconds: 7 },
    ],
    [
      'never settles',
      () => new Promise(() => undefined),
      { code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: true },
    ],
  ])(
    'that %s ends in an error of a gateway that says no word of it',
    async (_what, sendSms, seen) => {
      const error = await caught(text(make({ sendSms, timeoutMs: 100 })));
      expect(error).toMatchObject(seen);
      expect(inspect(error, { depth: 9 })).not.toMatch(/canary|123456/);
    },
  );

  it.each([undefined, null, false, 'no', { ok: false }])(
    'has sent the text when it ends, whatever it returns: %j',
    async (returned) => {
      const gateway = make({
        sendSms: (to, words) => {
          sent.push({ to, text: words });
          return returned;
        },
      });
      const { id } = await text(gateway);
      expect(await judge(gateway, id)).toBe('right');
    },
  );
});

describe('a store that fails', () => {
  const unsure = { code: 'ERR_STORE', mayHaveArrived: true };
  const sure = { code: 'ERR_STORE', mayHaveArrived: false };

  it.each([
    ['throws', throwing],
    ['answers nonsense', answering('yes')],
  ])('and %s at the write keeps the text from going out', async (_what, mischief) => {
    tampered.tamper('records.put', mischief);
    expect(await caught(text(make()))).toMatchObject(sure);
    expect(sent).toEqual([]);
  });

  it('says that nothing was judged as long as that is sure', async () => {
    const gateway = make();
    const { id } = await text(gateway);
    for (const call of ['records.find', 'records.swap', 'records.remove'] as const) {
      tampered.tamper(call, throwing);
      const expected = call === 'records.remove' ? unsure : sure;
      expect(await caught(judge(gateway, id))).toMatchObject(expected);
      tampered.heal();
    }
    expect(await judge(gateway, id)).toBe('right');
  });

  it.each([
    ['records.find', answering(true)],
    ['records.find', answering({ id: 'code', tag: '0', rank: 0, value: '{}' })],
    ['records.swap', answering('yes')],
    ['records.remove', answering(1)],
    ['records.remove', answering(undefined)],
  ] as const)('and answers nonsense at %s lets nobody in', async (call, mischief) => {
    const gateway = make();
    const { id } = await text(gateway);
    tampered.tamper(call, mischief);
    expect(await caught(judge(gateway, id))).toMatchObject({ code: 'ERR_STORE' });
  });

  it('and never swaps a record ends in a code that is over', async () => {
    const gateway = make();
    const { id } = await text(gateway);
    tampered.tamper('records.swap', answering(false));
    expect(await judge(gateway, id)).toBe('over');
  });

  it('and has lost the code ends in a code that is over', async () => {
    const gateway = make();
    const { id } = await text(gateway);
    tampered.lose();
    expect(await judge(gateway, id)).toBe('over');
  });
});

describe('an option', () => {
  const problemOf = (options: object): string => {
    const store = tampered.store;
    try {
      smsGateway({ sendSms: () => undefined, store, secret: SECRET, ...options });
    } catch (error) {
      if (error instanceof TypeError) return error.message;
    }
    return 'none';
  };

  it.each<[object, string]>([
    [{ sendSms: undefined }, 'sendSms is missing; it must be a function'],
    [{ sendSms: 'send' }, 'sendSms must be a function'],
    [{ store: undefined }, 'store is missing; it must be a store'],
    [
      { store: {} },
      'store must be a store, such as memoryStore() or redisStore(client); the one given has no',
    ],
    [
      { secret: undefined },
      'secret is missing; it must be a string of at least 32 random characters',
    ],
    [{ secret: 'canary' }, 'secret must be a string of at least 32 random characters'],
    [{ secret: 'x'.repeat(40) }, 'secret must be a string of at least 32 random characters'],
    [{ secret: [] }, 'secret must be a string of at least 32 random characters'],
    [{ secret: [SECRET, 'canary'] }, 'secret[1] must be a string of at least 32 random characters'],
    [{ digits: 5 }, 'digits must be a whole number from 6 to 10'],
    [{ digits: 11 }, 'digits must be a whole number from 6 to 10'],
    [{ digits: '6' }, 'digits must be a whole number from 6 to 10'],
    [{ timeoutMs: 99 }, 'timeoutMs must be a whole number from 100 to 10000'],
    [{ timeoutMs: 10_001 }, 'timeoutMs must be a whole number from 100 to 10000'],
    [{ now: 0 }, 'now must be a function'],
    [{ digit: 6 }, 'unknown option digit, did you mean digits?'],
  ])('is checked at start: %j', (options, problem) => {
    const message = problemOf(options);
    expect(message).toContain(`smsGateway: ${problem}`);
    expect(message).not.toContain('canary');
  });
});
