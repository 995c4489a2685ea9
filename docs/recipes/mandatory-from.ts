import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, type PhoneBook } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts, Users } from './parts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** From when on every user needs a second factor. */
export interface Mandate {
  /** Such as `Date.parse('2027-03-01T00:00:00Z')`. */
  readonly from: number;
  /** For a user who has none: days after `from`, or after the account was opened. */
  readonly graceDays: number;
}

export interface DatedUsers extends Users {
  /**
   * When the account was opened, or opened again by your support, who have checked the person.
   * Never a login: an attacker with the password would move the deadline.
   */
  findOpenedAt(id: string): Promise<number>;
}

type MandateParts = RecipeParts & {
  readonly users: DatedUsers;
  readonly phoneBook: PhoneBook;
  readonly mandate: Mandate;
  readonly now?: () => number;
};

export function createApp({ users, gateway, mandate, now = Date.now, ...parts }: MandateParts) {
  addFirstFactor(passport, users);
  const { phoneBook } = parts;

  /** When a user who has no second factor is no longer let in without one. */
  async function findDeadline(userId: string): Promise<number> {
    const begin = Math.max(mandate.from, await users.findOpenedAt(userId));
    return begin + mandate.graceDays * DAY_MS;
  }

  const smsOtp = createSmsOtp({
    gateway,
    phoneBook,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    // Users with a factor need it, before the date as well. Others are let in until the deadline.
    isRequiredFor: async (user): Promise<boolean> =>
      (await smsOtp.canPassSecondFactor(user)) || now() >= (await findDeadline(user.id)),
  });

  const app: Express = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  // `isRequiredFor` is asked again here: at the deadline, sessions without a code close too.
  const guard = smsOtp.requireSecondFactor({ allowNotRequired: true });
  app.post('/phone', guard, smsOtp.phones.enroll(), answerStatus);
  app.post('/phone/pin', guard, smsOtp.phones.confirm(), answerStatus);
  app.get('/account', guard, async ({ user }, res) => {
    const id = user?.id ?? '';
    const hasNone = user !== undefined && !(await smsOtp.canPassSecondFactor(user));
    const isSoon = hasNone && now() >= mandate.from;
    res.json({ id, addNumberBefore: isSoon ? await findDeadline(id) : null });
  });
  // What moves money asks for the second factor of everybody, from the first day on.
  app.get('/transfers', smsOtp.requireSecondFactor(), (_req, res) => void res.json([]));
  return app;
}
