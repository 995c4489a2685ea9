import { createHmac, timingSafeEqual } from 'node:crypto';
import { raw, type RequestHandler } from 'express';
import type { Policy } from 'passport-sms-otp';
import { z } from 'zod';

/** Whether a number wants your messages, as of a moment in milliseconds since 1970. */
export interface Wish {
  readonly isOptedOut: boolean;
  readonly at: number;
}

/** The numbers that have replied STOP. Use a table in your database: one row for each number. */
export class OptOuts {
  private readonly wishes = new Map<string, Wish>();

  has(mobile: string): Promise<boolean> {
    return Promise.resolve(this.wishes.get(mobile)?.isOptedOut === true);
  }

  /**
   * Keeps the newest: a STOP that is delivered late, or twice, does not undo the START after it.
   * In SQL: `insert … on conflict (mobile) do update … where old.at < new.at`.
   * @param mobile E.164 with plus.
   */
  note(mobile: string, wish: Wish): Promise<void> {
    if ((this.wishes.get(mobile)?.at ?? -Infinity) < wish.at) this.wishes.set(mobile, wish);
    return Promise.resolve();
  }
}

/**
 * Refuses a message to a number that has opted out, before it is paid. At an enrollment the number
 * may belong to another customer of yours: there the reason is the one for every number that cannot
 * receive messages.
 */
export function refuseOptedOut(optOuts: OptOuts): Policy<unknown> {
  return {
    name: 'opt-outs',
    stage: 'send',
    async check({ mobile, purpose }) {
      if (!(await optOuts.has(mobile))) return 'allow';
      const deny = purpose === 'enroll' ? 'unsuitable-phone' : 'denied';
      return { deny, reasons: ['it has replied STOP'] };
    },
  };
}

const STOP = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT']);
const START = new Set(['START', 'UNSTOP', 'YES']);
/** How old, and how far ahead, the time of a report may be. */
const MAX_AGE_MS = 5 * 60 * 1000;

/** What the provider reports of a message that came in. Adapt it to yours. */
const replySchema = z.object({
  from: z.string().regex(/^\+?[1-9][0-9]{6,14}$/),
  text: z.string(),
  receivedAt: z.number(),
});

export interface RepliesOptions {
  readonly optOuts: OptOuts;
  /** What the provider signs with. */
  readonly webhookSecret: string;
  readonly now: () => number;
}

/**
 * Takes the provider's reports. Mount it before `express.json()`: the bytes that came are signed.
 * The login of the request does not matter here, only the signature does.
 */
export function takeReplies({ optOuts, webhookSecret, now }: RepliesOptions): RequestHandler[] {
  const take: RequestHandler = async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const time = req.get('x-timestamp') ?? '';
    const signature = createSignature(webhookSecret, time, body);
    const isSigned = isSame(req.get('x-signature') ?? '', signature);
    const isFresh = Math.abs(now() - Number(time)) <= MAX_AGE_MS;
    if (!isSigned || !isFresh) return void res.sendStatus(401);
    const reply = readReply(body);
    if (reply === null) return void res.sendStatus(400);
    const word = reply.text.trim().toUpperCase();
    const mobile = `+${reply.from.replace('+', '')}`;
    const isOptedOut = STOP.has(word);
    if (isOptedOut || START.has(word))
      await optOuts.note(mobile, { isOptedOut, at: reply.receivedAt });
    res.sendStatus(204);
  };
  return [raw({ type: () => true, limit: '10kb' }), take];
}

/** HMAC-SHA-256 of the time, a full stop and the body, in hex. */
export function createSignature(secret: string, time: string, body: Buffer): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function readReply(body: Buffer): z.output<typeof replySchema> | null {
  try {
    return replySchema.parse(JSON.parse(body.toString()));
  } catch {
    return null;
  }
}

type SendSms = (to: string, text: string, options: { sender: string | undefined }) => unknown;

/** Twilio: the number has opted out, and no text has left. */
const REFUSED_AS_OPTED_OUT = 21610;

/**
 * Wraps the `sendSms` of `smsGateway`: what the provider refuses because of a STOP is noted, so that
 * the next text is refused before it is tried. For reports that were lost, and for old STOPs.
 */
export function noticeStops(sendSms: SendSms, optOuts: OptOuts, now = Date.now): SendSms {
  return async (to, text, options) => {
    const askedAt = now(); // A START that comes while the provider answers is newer.
    try {
      await sendSms(to, text, options);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === REFUSED_AS_OPTED_OUT))
        throw error;
      await optOuts.note(to, { isOptedOut: true, at: askedAt });
      throw Object.assign(error, { mayHaveArrived: false });
    }
  };
}
