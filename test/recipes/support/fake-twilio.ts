import { randomBytes } from 'node:crypto';
import { type FakeAnswer, FakeProvider, type FakeRequest } from './fake-provider';

export const TWILIO = {
  accountSid: `AC${'0'.repeat(32)}`,
  authToken: 'the token of the account',
  serviceSid: `VA${'1'.repeat(32)}`,
};

interface Verification {
  readonly sid: string;
  readonly to: string;
  readonly pin: string;
  readonly expiresAt: number;
  sends: number;
  checks: number;
}

const NOT_FOUND: FakeAnswer = { status: 404, body: { code: 20404, status: 404 } };

/**
 * Verify v2 as Twilio documents it: one open verification a number, whose SID and code another text
 * repeats; five texts and five checks of it in ten minutes; forgotten once it was right.
 */
export class FakeTwilio extends FakeProvider {
  readonly #open = new Map<string, Verification>();

  constructor() {
    super({
      callOf: (path) => {
        if (path.endsWith('/Verifications')) return 'generate';
        return path.endsWith('/VerificationCheck') ? 'validate' : null;
      },
      answer: (request) => this.#answer(request),
      refused: { status: 400, body: { code: 60200, message: 'Invalid parameter', status: 400 } },
    });
  }

  #answer({ path, authorization, contentType, body }: FakeRequest): FakeAnswer {
    const { accountSid, authToken, serviceSid } = TWILIO;
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    if (authorization !== `Basic ${basic}`) return { status: 401, body: { code: 20003 } };
    if (contentType !== 'application/x-www-form-urlencoded')
      return { status: 415, body: { code: 0 } };
    const fields = new URLSearchParams(body);
    if (path === `/v2/Services/${serviceSid}/Verifications`) return this.#start(fields);
    if (path === `/v2/Services/${serviceSid}/VerificationCheck`) return this.#check(fields);
    return NOT_FOUND;
  }

  #start(fields: URLSearchParams): FakeAnswer {
    const to = fields.get('To') ?? '';
    if (fields.get('Channel') !== 'sms') return { status: 400, body: { code: 60200 } };
    const open = this.#find(({ to: mobile }) => mobile === to);
    if (open !== undefined && open.sends >= 5) return { status: 429, body: { code: 60203 } };
    const sid = `VE${randomBytes(16).toString('hex')}`;
    const pin = this.text(to, open?.pin);
    const expiresAt = this.nowSeconds + 600;
    const verification = open ?? { sid, to, pin, expiresAt, sends: 0, checks: 0 };
    verification.sends += 1;
    this.#open.set(verification.sid, verification);
    const { sid: named } = verification;
    return {
      status: 201,
      body: { sid: named, to, channel: 'sms', status: 'pending', valid: false },
    };
  }

  #check(fields: URLSearchParams): FakeAnswer {
    const code = fields.get('Code') ?? '';
    if (code.length < 4 || code.length > 10) return { status: 400, body: { code: 60200 } };
    const found = this.#find(({ sid }) => sid === fields.get('VerificationSid'));
    if (found === undefined) return NOT_FOUND;
    if (found.checks >= 5) return { status: 429, body: { code: 60202 } };
    found.checks += 1;
    const isRight = code === found.pin;
    if (isRight) this.#open.delete(found.sid);
    const { sid, to } = found;
    const status = isRight ? 'approved' : 'pending';
    return { status: 200, body: { sid, to, channel: 'sms', status, valid: isRight } };
  }

  #find(isMeant: (verification: Verification) => boolean): Verification | undefined {
    return Array.from(this.#open.values()).find(
      (one) => one.expiresAt > this.nowSeconds && isMeant(one),
    );
  }
}
