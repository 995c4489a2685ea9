import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { SmsOtp } from 'passport-sms-otp';
import { readField } from './forms';
import { translateFor } from './i18n';
import type { Users } from './users';

/** The cookie in which the library keeps up to five entries, `id.time.seal`, joined by "~". */
export const BROWSER_COOKIE = '__Host-sms-otp-browser';
const MAX_ENTRIES = 5;

/**
 * Limits wrong passwords, which the app itself must count. A browser in which the user has passed a
 * second factor has its own count, which no attacker can use up. All others are counted by address,
 * by name and address, and by name. Each attempt is counted before the password is checked, so that
 * many at once cannot pass a limit. It is refunded unless the password was wrong. With several
 * processes, give `rateLimit` a shared store.
 */
export function limitPasswords(
  { browserOf }: Pick<SmsOtp, 'browserOf'>,
  users: Pick<Users, 'findByName'>,
): RequestHandler[] {
  const readName = (req: Request): string => readField(req, 'username')?.toLowerCase() ?? '';
  const readAddress = ({ ip = '' }: Request): string => ipKeyGenerator(ip);

  const findBrowser: RequestHandler = async (req, res, next) => {
    const user = await users.findByName(readName(req));
    if (user) res.locals.knownBrowser = await findKnownBrowser(browserOf, req, user.id);
    next();
  };

  return [
    findBrowser,
    limitWrong(20, 15, (_req, res) => readKnown(res) ?? null),
    limitWrong(30, 15, (req, res) => (readKnown(res) ? null : readAddress(req))),
    limitWrong(20, 15, (req, res) =>
      readKnown(res) ? null : `${readAddress(req)} ${readName(req)}`,
    ),
    limitWrong(100, 60, (req, res) => (readKnown(res) ? null : `name:${readName(req)}`)),
  ];
}

/**
 * Returns the id of the user's known browser that sent the request. Undefined if it is not known.
 */
function readKnown({ locals }: Response): string | undefined {
  return locals.knownBrowser as string | undefined; // set by `findBrowser`
}

/**
 * Checks the entries one by one: an attacker with a copied cookie could put other entries before
 * it, and so appear as a new browser each time.
 */
async function findKnownBrowser(
  browserOf: SmsOtp['browserOf'],
  req: Request,
  userId: string,
): Promise<string | undefined> {
  const cookies = (req.headers.cookie ?? '').split('; ');
  const found = cookies.find((cookie) => cookie.startsWith(`${BROWSER_COOKIE}=`));
  const entries = found?.slice(BROWSER_COOKIE.length + 1).split('~') ?? [];
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const headers = { value: { cookie: `${BROWSER_COOKIE}=${entry}` } };
    const alone = Object.create(req, { headers }) as Request; // the same request with this entry alone
    if ((await browserOf(alone, userId)).isKnown) return entry.split('.')[0];
  }
  return undefined;
}

/** Limits the wrong passwords of each key. Null: the request is not counted here. */
function limitWrong(
  most: number,
  minutes: number,
  findKey: (req: Request, res: Response) => string | null,
): RequestHandler {
  return rateLimit({
    windowMs: minutes * 60_000,
    limit: most,
    skip: (req, res) => findKey(req, res) === null,
    keyGenerator: (req, res) => findKey(req, res) ?? '',
    skipSuccessfulRequests: true,
    requestWasSuccessful: ({ smsOtp }) =>
      !(smsOtp && 'reason' in smsOtp && smsOtp.reason === 'wrong-password'),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: (req, res) => {
      const minutesLeft = Math.ceil(Number(res.get('Retry-After')) / 60);
      const text = translateFor(req)('notice.tooManyPasswords', { minutes: minutesLeft });
      res.status(429).render('login', {
        notice: { kind: 'error', text },
        username: readField(req, 'username'),
      });
    },
  });
}
