import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, type PhoneBook } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts, Users } from './parts';

export interface SignUpUsers extends Users {
  /** Null when the name is taken. */
  create(username: string, password: string): Promise<Express.User | null>;
}

type SignUpParts = RecipeParts & { readonly users: SignUpUsers; readonly phoneBook: PhoneBook };

export function createApp({
  users,
  phoneBook,
  gateway,
  sessionSecret,
  otpSecret,
}: SignUpParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    phoneBook,
    secret: otpSecret,
    allowedCountries: ['US'],
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    // A user who has nothing to pass a second factor with is logged in with the password alone,
    // and can add a number.
    isRequiredFor: (user): Promise<boolean> => smsOtp.canPassSecondFactor(user),
  });

  async function createAccount(req: Request, res: Response, next: NextFunction): Promise<void> {
    const { username, password } = (req.body ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof username !== 'string' || typeof password !== 'string')
      return void res.status(400).json({ error: 'no-name-or-no-password' });
    const user = await users.create(username, password);
    if (user === null) return void res.status(409).json({ error: 'name-taken' });
    req.user = user;
    req.authInfo = {}; // The password has just been chosen: a first factor, for `send`.
    next();
  }

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  // One form: name, password and phone. `send` logs the user in, because no code is required yet;
  // `enroll` texts one.
  app.post('/sign-up', createAccount, smsOtp.send(), smsOtp.phones.enroll(), answerStatus);
  app.post('/sign-up/phone', smsOtp.phones.enroll(), answerStatus); // Another number, when the first was mistyped.
  app.post('/sign-up/resend', smsOtp.resend(), answerStatus);
  app.post('/sign-up/pin', smsOtp.phones.confirm(), answerStatus);

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  // Every page but the sign-up.
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}
