import { randomUUID } from 'node:crypto';
import { type FakeAnswer, FakeProvider, type FakeRequest } from './fake-provider';

export const VONAGE = { apiKey: 'abcd1234', apiSecret: 'the secret of the key', brand: 'Bank' };

interface VerifyRequest {
  readonly id: string;
  readonly to: string;
  readonly pin: string;
  readonly expiresAt: number;
  wrong: number;
}

/** A problem as Vonage writes it. */
function problem(status: number, title: string): FakeAnswer {
  return { status, body: { type: 'about:blank', title, detail: title, instance: randomUUID() } };
}

/**
 * Verify v2 as Vonage documents it: one open request a number, another one is a conflict; over after
 * its channel's time, once it was right, and after three wrong codes.
 */
export class FakeVonage extends FakeProvider {
  readonly #requests = new Map<string, VerifyRequest>();

  constructor() {
    super({
      callOf: (path) => (path === '/v2/verify' ? 'generate' : 'validate'),
      answer: (request) => this.#answer(request),
      refused: problem(422, 'Invalid params'),
    });
  }

  #answer({ path, authorization, contentType, body }: FakeRequest): FakeAnswer {
    const basic = Buffer.from(`${VONAGE.apiKey}:${VONAGE.apiSecret}`).toString('base64');
    if (authorization !== `Basic ${basic}`) return problem(401, 'Unauthorized');
    if (contentType !== 'application/json') return problem(415, 'Unsupported media type');
    // The recipe writes JSON.
    const members = JSON.parse(body) as Record<string, unknown>;
    if (path === '/v2/verify') return this.#start(members);
    return this.#check(path.slice('/v2/verify/'.length), members);
  }

  #start(members: Record<string, unknown>): FakeAnswer {
    const { brand, workflow, channel_timeout: seconds } = members;
    const [step] = workflow as { readonly channel: string; readonly to: string }[];
    const { channel, to } = step ?? { channel: '', to: '' };
    const isValid = channel === 'sms' && brand === 'Bank' && /^[0-9]{7,15}$/.test(to);
    if (!isValid || typeof seconds !== 'number' || seconds < 15 || seconds > 900)
      return problem(422, 'Invalid params');
    const isOpen = Array.from(this.#requests.values()).some(
      (one) => one.to === to && one.expiresAt > this.nowSeconds,
    );
    if (isOpen) return problem(409, 'Conflict');
    const id = randomUUID();
    const [pin, expiresAt] = [this.text(`+${to}`), this.nowSeconds + seconds];
    this.#requests.set(id, { id, to, pin, expiresAt, wrong: 0 });
    return { status: 202, body: { request_id: id } };
  }

  #check(id: string, { code }: Record<string, unknown>): FakeAnswer {
    const found = this.#requests.get(id);
    if (found === undefined || found.expiresAt <= this.nowSeconds) return problem(404, 'Not Found');
    if (code !== found.pin) {
      found.wrong += 1;
      if (found.wrong < 3) return problem(400, 'Invalid Code');
      this.#requests.delete(id);
      return problem(410, 'Invalid Code');
    }
    this.#requests.delete(id);
    return { status: 200, body: { request_id: id, status: 'completed' } };
  }
}
