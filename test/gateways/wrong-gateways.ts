import { setTimeout as wait } from 'node:timers/promises';
import {
  type GatewayEventListener,
  GatewayRejectedError,
  GatewayUnreachableError,
  type OtpCall,
  type OtpText,
  type Permit,
  type PinVerdict,
  SmsOtpError,
  type TextedOtp,
  type TypedPin,
} from 'passport-sms-otp';
import type { GatewayFailure } from 'passport-sms-otp/testing';
import { type GatewayClass, ReferenceGateway } from './reference-gateway';

type Judge = (typed: TypedPin, gateway: ReferenceGateway) => PinVerdict;

/** A gateway that judges in its own way. */
function judging(judge: Judge): GatewayClass {
  return class extends ReferenceGateway {
    override validate(typed: TypedPin): Promise<PinVerdict> {
      return this.call('validate', () => judge(typed, this));
    }
  };
}

/** A gateway that asks for another text than it was asked for. */
function texting(change: (text: OtpText) => Partial<OtpText>): GatewayClass {
  return class extends ReferenceGateway {
    override generate(text: OtpText): Promise<TextedOtp> {
      return super.generate({ ...text, ...change(text) });
    }
  };
}

/** A gateway that answers with another text than it has sent. */
function answering(
  change: (answer: TextedOtp, text: OtpText, gateway: ReferenceGateway) => object,
): GatewayClass {
  return class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const answer = await super.generate(text);
      return { ...answer, ...change(answer, text, this) };
    }
  };
}

/** A gateway that treats the failures of a call in its own way. */
function failing(
  react: (error: unknown, call: OtpCall, again: () => Promise<unknown>) => unknown,
): GatewayClass {
  return class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const work = (): Promise<TextedOtp> => super.generate(text);
      // What it reacts with is of the wrong type on purpose.
      return work().catch((error: unknown) => react(error, 'generate', work)) as Promise<TextedOtp>;
    }

    override async validate(typed: TypedPin): Promise<PinVerdict> {
      const work = (): Promise<PinVerdict> => super.validate(typed);
      return work().catch((error: unknown) =>
        react(error, 'validate', work),
      ) as Promise<PinVerdict>;
    }
  };
}

const isSameNumber = (code: { pin: string }, typed: string): boolean =>
  Number(code.pin) === Number(typed);

/** Ways in which a gateway may be wrong, each of which a check must notice. */
export const WRONG_GATEWAYS: Readonly<Record<string, GatewayClass>> = {
  'says right as often as a code comes': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    const verdict = provider.judge(typed);
    if (code !== undefined) code.isUsed = false;
    return verdict;
  }),
  'takes a code from any number': judging((typed, { provider }) => {
    const to = provider.codes.get(typed.id)?.to ?? typed.to;
    return provider.judge({ ...typed, to });
  }),
  'takes a code under any id': judging((typed, { provider }) => {
    const found = Array.from(provider.codes.values()).find(
      ({ to, pin }) => to === typed.to && pin === typed.pin,
    );
    return found?.isUsed === false ? provider.judge({ ...typed, id: found.id }) : 'wrong';
  }),
  'takes the newest code of a number under its older ids': judging((typed, { provider }) => {
    const newest = Array.from(provider.codes.values()).findLast(({ to }) => to === typed.to);
    return provider.judge({ ...typed, id: newest?.id ?? typed.id });
  }),
  'compares codes as numbers': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    const isAlike = code !== undefined && isSameNumber(code, typed.pin);
    return provider.judge(isAlike ? { ...typed, pin: code.pin } : typed);
  }),
  'compares the first digits alone': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    const isAlike = code?.pin.startsWith(typed.pin.slice(0, 5)) === true;
    return provider.judge(isAlike ? { ...typed, pin: code.pin } : typed);
  }),
  'takes a code as a pattern': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    const isPattern = typed.pin.startsWith('.') && code !== undefined;
    return provider.judge(isPattern ? { ...typed, pin: code.pin } : typed);
  }),
  'takes every code after the right one': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    return code?.isUsed === true && code.pin !== typed.pin ? 'right' : provider.judge(typed);
  }),
  'ends a code at the first wrong one': judging((typed, { provider }) => {
    const verdict = provider.judge(typed);
    if (verdict === 'wrong') provider.codes.delete(typed.id);
    return verdict;
  }),
  'counts wrong codes over all texts': judging((typed, { provider }) => {
    const verdict = provider.judge(typed);
    if (verdict === 'wrong') for (const code of provider.codes.values()) code.attempts += 1;
    return verdict;
  }),
  'lets codes live on': judging((typed, { provider }) => {
    const code = provider.codes.get(typed.id);
    if (code !== undefined) Object.assign(code, { expiresAt: Infinity });
    return provider.judge(typed);
  }),
  'ends codes sooner than it says': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const { id } = await super.generate({ ...text, validitySeconds: 60 });
      return { id, validitySeconds: text.validitySeconds };
    }
  },
  'says true and false': judging((typed, { provider }) => {
    const verdict: unknown = provider.judge(typed) === 'right';
    return verdict as PinVerdict;
  }),
  'resolves to nothing for a right code, and throws for a wrong one': judging(
    (typed, { provider }) => {
      if (provider.judge(typed) !== 'right')
        throw new GatewayRejectedError('validate', { httpStatus: 400 });
      const nothing: unknown = undefined;
      return nothing as PinVerdict;
    },
  ),
  'texts again at each wrong code': judging((typed, { provider }) => {
    const { to } = typed;
    const verdict = provider.judge(typed);
    if (verdict === 'wrong')
      provider.send({ to, message: '[PIN]', sender: undefined, validitySeconds: 300 });
    return verdict;
  }),
  'looks before it takes': class extends ReferenceGateway {
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      const code = this.provider.codes.get(typed.id);
      if (code?.isUsed !== false) return 'over';
      await wait(1);
      const verdict = await super.validate(typed);
      return code.pin === typed.pin && code.to === typed.to ? 'right' : verdict;
    }
  },
  'knows the codes of its own process alone': class extends ReferenceGateway {
    readonly #own = new Set<string>();
    override async generate(text: OtpText): Promise<TextedOtp> {
      const texted = await super.generate(text);
      this.#own.add(texted.id);
      return texted;
    }
    override validate(typed: TypedPin): Promise<PinVerdict> {
      return this.#own.has(typed.id) ? super.validate(typed) : Promise.resolve('over');
    }
  },
  'remembers used codes in its own process alone': class extends ReferenceGateway {
    readonly #used = new Set<string>();
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      if (this.#used.has(typed.id)) return 'over';
      const verdict = await super.validate(typed);
      if (verdict !== 'right') return verdict;
      this.#used.add(typed.id);
      const code = this.provider.codes.get(typed.id);
      if (code !== undefined) code.isUsed = false;
      return verdict;
    }
  },
  'texts to another number too': class extends ReferenceGateway {
    override generate(text: OtpText): Promise<TextedOtp> {
      this.provider.send({ ...text, to: '+12025550124' });
      return super.generate(text);
    }
  },
  'texts twice': class extends ReferenceGateway {
    override generate(text: OtpText): Promise<TextedOtp> {
      this.provider.send(text);
      return super.generate(text);
    }
  },
  'makes the same code for everyone': answering((_answer, { to }, { provider }) => {
    const code = Array.from(provider.codes.values()).at(-1);
    const texts = provider.texts.get(to) ?? [];
    if (code !== undefined) Object.assign(code, { pin: '123456' });
    provider.texts.set(to, [...texts.slice(0, -1), { pin: '123456', text: 'Code 123456' }]);
    return {};
  }),
  'makes codes of letters': answering((_answer, { to }, { provider }) => {
    const pin = 'abcdef';
    const code = Array.from(provider.codes.values()).at(-1);
    if (code !== undefined) Object.assign(code, { pin });
    provider.texts.set(to, [...(provider.texts.get(to) ?? []).slice(0, -1), { pin }]);
    return {};
  }),
  'adds words of its own': texting(({ message }) => ({ message: `${message} STOP to opt out` })),
  'writes other characters in ASCII': texting(({ message }) => ({
    message: message.replace(/[^\x20-\x7e]/g, '?'),
  })),
  'takes patterns in a message for its own': texting(({ message }) => ({
    message: 'x'.replace('x', message),
  })),
  'demands a sender': class extends ReferenceGateway {
    override generate(text: OtpText): Promise<TextedOtp> {
      if (text.sender === undefined)
        throw new GatewayRejectedError('generate', { httpStatus: 400 });
      return super.generate(text);
    }
  },
  'cuts long numbers': texting(({ to }) => ({ to: to.slice(0, 12) })),
  'has ids that are numbers': answering(() => ({ id: 7 })),
  'has empty ids': answering(() => ({ id: '' })),
  'shows the number in its ids': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const { id } = await super.generate(text);
      return { id: `${text.to}:${id}` };
    }
    override validate(typed: TypedPin): Promise<PinVerdict> {
      return super.validate({ ...typed, id: typed.id.split(':')[1] ?? '' });
    }
  },
  'has one id for everyone': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      await super.generate(text);
      return { id: 'the id' };
    }
    override validate(typed: TypedPin): Promise<PinVerdict> {
      const found = Array.from(this.provider.codes.values()).findLast(({ to }) => to === typed.to);
      return super.validate({ ...typed, id: found?.id ?? '' });
    }
  },
  'has one id for each number': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const { codes } = this.provider;
      const code = codes.get((await super.generate(text)).id);
      const id = Array.from(text.to).reverse().join('');
      if (code !== undefined) codes.set(id, code);
      return { id };
    }
  },
  'has a life below zero': answering(() => ({ validitySeconds: -1 })),
  'has a cost with a currency': answering(() => ({ cost: '0.05 USD' })),
  'refuses a second text and does not say that none went out': class extends ReferenceGateway {
    override generate(text: OtpText): Promise<TextedOtp> {
      if (this.provider.texts.has(text.to))
        throw new GatewayRejectedError('generate', { httpStatus: 409 });
      return super.generate(text);
    }
  },
  'refuses the second call at the same time': class extends ReferenceGateway {
    #running = 0;
    override async generate(text: OtpText): Promise<TextedOtp> {
      this.#running += 1;
      try {
        await wait(1);
        if (this.#running > 1) throw new GatewayUnreachableError('generate', false);
        return await super.generate(text);
      } finally {
        this.#running -= 1;
      }
    }
  },
  'repeats what was lost': failing((_error, _call, again) => again()),
  'says of every failure that nothing has arrived': failing((_error, call) => {
    throw new GatewayUnreachableError(call, false);
  }),
  'says of no failure whether it has arrived': failing((error) => {
    if (error instanceof SmsOtpError) Object.assign(error, { mayHaveArrived: undefined });
    throw error;
  }),
  'says of a refusal that it may have arrived': failing((_error, call) => {
    throw new GatewayRejectedError(call, { httpStatus: 400 });
  }),
  'takes a lost answer for a success': failing((_error, call) =>
    call === 'generate' ? { id: 'lost' } : 'right',
  ),
  'takes a lost judgement for a wrong code': failing((error, call) => {
    if (call === 'generate') throw error;
    return 'wrong';
  }),
  'throws what the provider throws': failing(() => {
    throw new TypeError('fetch failed');
  }),
  'throws the words of the provider': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const answer = super.generate(text);
      return answer.catch((error: unknown) => this.#quote(error, text.to));
    }
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      return super.validate(typed).catch((error: unknown) => this.#quote(error, typed.pin));
    }
    #quote(error: unknown, words: string): never {
      throw Object.assign(error as Error, {
        request: { body: `${words} ${this.provider.secret}` },
      });
    }
  },
  'takes an answer of another shape for a success': class extends ReferenceGateway {
    protected override async fail(call: OtpCall, failure: GatewayFailure): Promise<never> {
      if (failure !== 'other-shape') return super.fail(call, failure);
      // What is missing in the answer is missing in what it returns.
      return { id: undefined } as never;
    }
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      const verdict: unknown = await super.validate(typed);
      return typeof verdict === 'string' ? (verdict as PinVerdict) : 'wrong';
    }
  },
  'texts the number without its plus': texting(({ to }) => ({ to: to.slice(1) })),
  'waits for ever': class extends ReferenceGateway {
    protected override async fail(call: OtpCall, failure: GatewayFailure): Promise<never> {
      if (failure !== 'silent') return super.fail(call, failure);
      return new Promise((_resolve, reject) => setTimeout(reject, 200, new Error('at last')));
    }
  },
  'goes on failing': class extends ReferenceGateway {
    #hasFailed = false;
    override async generate(text: OtpText): Promise<TextedOtp> {
      if (this.#hasFailed) throw new GatewayUnreachableError('generate', false);
      return super.generate(text).catch((error: unknown) => {
        this.#hasFailed = true;
        throw error;
      });
    }
  },
  'uses a code up although the judgement was refused': class extends ReferenceGateway {
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      return super.validate(typed).catch((error: unknown) => {
        this.provider.judge(typed);
        throw error;
      });
    }
  },
  'forgets what it has judged when the answer was lost': class extends ReferenceGateway {
    override async validate(typed: TypedPin): Promise<PinVerdict> {
      return super.validate(typed).catch((error: unknown) => {
        const code = this.provider.codes.get(typed.id);
        if (code !== undefined) code.isUsed = false;
        throw error;
      });
    }
  },
  'keeps its permits': class extends ReferenceGateway {
    override async admit(call: OtpCall): Promise<Permit> {
      await super.admit(call);
      return { release: () => undefined };
    }
  },
  'keeps the permits of calls': class extends ReferenceGateway {
    override validate(typed: TypedPin, permit?: Permit): Promise<PinVerdict> {
      if (permit !== undefined) this.permits += 1;
      return super.validate(typed);
    }
  },
  'takes a permit back twice': class extends ReferenceGateway {
    override async admit(call: OtpCall): Promise<Permit> {
      await super.admit(call);
      let isReleased = false;
      const release = (): void => {
        if (isReleased) throw new Error('released');
        isReleased = true;
        this.permits -= 1;
      };
      return { release };
    }
  },
  'texts when it is asked for a permit': class extends ReferenceGateway {
    override admit(call: OtpCall): Promise<Permit> {
      this.provider.send({
        ...{ to: '+12025550123', message: '[PIN]' },
        ...{ sender: undefined, validitySeconds: 300 },
      });
      return super.admit(call);
    }
  },
  'has permits that cannot be released': class extends ReferenceGateway {
    override admit(): Promise<Permit> {
      const permit: unknown = true;
      return Promise.resolve(permit as Permit);
    }
  },
  'refuses calls with a permit': class extends ReferenceGateway {
    override generate(text: OtpText, permit?: Permit): Promise<TextedOtp> {
      if (permit !== undefined) throw new GatewayUnreachableError('generate', false);
      return super.generate(text);
    }
  },
  'texts when it is warmed up': class extends ReferenceGateway {
    override warmUp(): Promise<void> {
      this.provider.send({
        ...{ to: '+12025550123', message: '[PIN]' },
        ...{ sender: undefined, validitySeconds: 300 },
      });
      return super.warmUp();
    }
  },
  'shows codes in its events': class extends ReferenceGateway {
    override async generate(text: OtpText): Promise<TextedOtp> {
      const texted = await super.generate(text);
      this.tell('generate', { pin: this.provider.codes.get(texted.id)?.pin });
      return texted;
    }
  },
  'tells on when nobody listens any more': class extends ReferenceGateway {
    override subscribe(listener: GatewayEventListener): () => void {
      super.subscribe(listener);
      return () => undefined;
    }
  },
  'fails with its listeners': class extends ReferenceGateway {
    readonly #all: GatewayEventListener[] = [];
    override subscribe(listener: GatewayEventListener): () => void {
      this.#all.push(listener);
      return super.subscribe(listener);
    }
    protected override tell(call: OtpCall): void {
      for (const listener of this.#all)
        listener({ type: 'gateway-call', call, outcome: 'ok', durationMs: 1 });
    }
  },
  'texts although it was closed': class extends ReferenceGateway {
    override close(): Promise<void> {
      return Promise.resolve();
    }
  },
  'says with a word whether it writes messages': class extends ReferenceGateway {
    override readonly writesMessages = 'yes' as unknown as boolean;
  },
};
