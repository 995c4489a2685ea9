import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';
import type { PasskeyBook } from './passkey-book';
import { passkeyFactor, passkeySettings, type PasskeyOptions } from './passkeys';
import { textOff } from './text-off';

interface PasskeyParts extends RecipeParts {
  readonly book: PasskeyBook;
  readonly passkeys: PasskeyOptions;
  /** Ids of the users who want no text messages. */
  readonly textsOff: Set<string>;
}

export function createApp({
  users,
  gateway,
  sessionSecret,
  otpSecret,
  ...parts
}: PasskeyParts): Express {
  const { book, passkeys, textsOff } = parts;
  addFirstFactor(passport, users);
  const hasPasskey = async (id: string): Promise<boolean> => (await book.list(id)).length > 0;
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    now: passkeys.now ?? Date.now,
    recoveryCodes: {},
    factors: [passkeyFactor(book, passkeys)],
    preferredFactor: () => 'passkey', // Users without one are texted.
    policies: [textOff(async ({ id }) => textsOff.has(id) && (await hasPasskey(id)))],
  });

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  // Of a login and of a step-up alike.
  app.post('/login/passkey/options', smsOtp.optionsWith('passkey'));
  app.post('/login/passkey', smsOtp.verifyWith('passkey'), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  app.post('/login/resend', smsOtp.resend(), answerStatus);
  app.post('/login/recover', smsOtp.verifyWith('recovery-code'), answerStatus);
  app.post('/step-up', smsOtp.stepUp(), answerStatus);
  app.get('/account', smsOtp.requireSecondFactor(), (req, res) => {
    res.json({ id: req.user?.id, ...smsOtp.status(req).verified });
  });

  const settings = passkeySettings(book, passkeys, {
    rpName: 'Bank',
    userName: ({ user }) => user?.id ?? '',
  });
  app.use('/settings', smsOtp.requireSecondFactor({ maxAgeSeconds: 300 }));
  app.get('/settings/passkeys', async (req, res) => {
    res.json((await settings.list(req)).map(({ id, name }) => ({ id, name })));
  });
  app.post('/settings/passkeys/options', settings.registrationOptions);
  app.post('/settings/passkeys', async (req, res) => {
    const passkey = await settings.register(req, bodyOf(req).credential);
    res
      .status(passkey ? 201 : 400)
      .json(passkey ? { id: passkey.id, name: passkey.name } : { error: 'not-added' });
  });
  app.post('/settings/passkeys/rename', async (req, res) => {
    const { id, name } = bodyOf(req);
    res.sendStatus((await settings.rename(req, id, name)) ? 204 : 404);
  });
  app.post('/settings/passkeys/remove', async (req, res) => {
    res.sendStatus((await settings.remove(req, bodyOf(req).id)) ? 204 : 404);
  });
  app.post('/settings/recovery-codes', async (req, res) => {
    res.json(await smsOtp.recoveryCodes.generate(req.user?.id ?? '', req));
  });
  app.post('/settings/text-off', async ({ user = { id: '' } }, res) => {
    // Not without a way back: who has lost the passkey needs a recovery code.
    const isAllowed =
      (await hasPasskey(user.id)) && (await smsOtp.recoveryCodes.count(user.id)) > 0;
    if (isAllowed) textsOff.add(user.id);
    res.sendStatus(isAllowed ? 204 : 409);
  });
  return app;
}

function bodyOf({ body }: express.Request): Readonly<Record<string, unknown>> {
  return (body ?? {}) as Readonly<Record<string, unknown>>; // Express types it as any.
}
