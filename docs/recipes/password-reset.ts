import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import { serveOnce } from './once';
import type { RecipeParts, Users } from './parts';
import type { ResetTokens } from './reset-tokens';

export interface ResetUsers extends Users {
  findByName(username: string): Promise<Express.User | null>;
  setPassword(id: string, password: string): Promise<void>;
  /** From a column that `setPassword` raises. */
  passwordVersion(id: string): Promise<string>;
}

/** Your e-mails. */
export interface Mail {
  sendResetLink(user: Express.User, link: string): Promise<void>;
  /** Tells the owner of the account, who may know nothing of it. */
  sendPasswordChanged(userId: string): Promise<void>;
}

interface ResetParts extends RecipeParts {
  readonly users: ResetUsers;
  readonly tokens: ResetTokens;
  readonly mail: Mail;
  /** Such as `https://bank.example`. Never from the `Host` header, which a stranger chooses. */
  readonly origin: string;
  /** Is told what failed after the answer. */
  readonly onError: (error: unknown) => void;
}

const MIN_PASSWORD_LENGTH = 8; // NIST SP 800-63B-4, 3.1.1.2: beside a second factor; 15 without.

export function createApp({ users, tokens, mail, gateway, ...parts }: ResetParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    trustedDevices: { getPasswordVersion: ({ id }) => users.passwordVersion(id) },
  });

  async function sendLink(username: string): Promise<void> {
    const user = await users.findByName(username);
    const token = user && (await tokens.give(user.id));
    if (token) await mail.sendResetLink(user, `${parts.origin}/reset?token=${token}`);
  }

  function askForLink(req: Request, res: Response): void {
    // Not awaited: the answer and its time are the same, whether there is such a user or not.
    sendLink(bodyOf(req, 'username')).catch(parts.onError);
    res.redirect(303, '/forgot/sent');
  }

  async function showForm({ query }: Request, res: Response): Promise<void> {
    const token = typeof query.token === 'string' ? query.token : '';
    // Spends nothing: what scans e-mails opens the links in them.
    if ((await tokens.find(token)) === null) return res.redirect(303, '/forgot');
    res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' });
    res.send(`<!doctype html><title>New password</title><script src="/once.js"></script><form method="post" action="/reset">
      <input type="hidden" name="token" value="${token}">
      <label>New password <input type="password" name="password" autocomplete="new-password"></label>
      <button>Save</button></form>`);
  }

  async function setPassword(req: Request, res: Response): Promise<void> {
    const [token, password] = [bodyOf(req, 'token'), bodyOf(req, 'password')];
    const userId = await tokens.find(token);
    if (userId === null) return res.redirect(303, '/forgot');
    if (password.length < MIN_PASSWORD_LENGTH) return res.redirect(303, `/reset?token=${token}`);
    await smsOtp.logins.revokeAll(userId); // First: a store that is down changes nothing.
    if (!(await tokens.take(token))) return res.redirect(303, '/forgot');
    await users.setPassword(userId, password);
    await smsOtp.logins.revokeAll(userId); // Ends logins that began in between with the old password.
    mail.sendPasswordChanged(userId).catch(parts.onError);
    res.redirect(303, '/login'); // No one is logged in: the login asks for the code, as always.
  }

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());

  app.post('/forgot', askForLink);
  app.get('/once.js', serveOnce);
  app.get('/reset', showForm);
  app.post('/reset', setPassword);

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post(
    '/login',
    firstFactor,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.post(
    '/login/pin',
    smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: req.user?.id }),
  );
  return app;
}

function bodyOf({ body }: Request, name: string): string {
  const { [name]: value = '' } = (body ?? {}) as Readonly<Record<string, unknown>>; // Express types it as any.
  return typeof value === 'string' ? value : '';
}
