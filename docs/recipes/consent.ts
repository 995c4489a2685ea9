import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, type PhoneBook } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import { serveOnce } from './once';
import type { RecipeParts } from './parts';

/** What the user has read beside the field, word for word. A new wording is a new sentence. */
export const SENTENCE =
  'By sending your number you agree to get codes for your logins by text message. ' +
  'Message rates may apply.';

/** Who has agreed to what, and when. Times are milliseconds since 1970. */
export interface Consent {
  readonly userId: string;
  readonly mobile: string;
  readonly sentence: string;
  readonly consentedAt: number;
  /** When its code was right. Null: the owner of the number has not confirmed it. */
  confirmedAt: number | null;
  /** When it was removed or replaced, which takes the consent back. */
  endedAt: number | null;
}

/** A table of its own in your database: it outlives the number. */
export type Consents = Consent[];

/** A phone book that writes down what its users have agreed to. */
export function withConsents(book: PhoneBook, consents: Consents, now = Date.now): PhoneBook {
  const find = (userId: string, mobile: string): Consent | undefined =>
    consents.findLast((one) => one.userId === userId && one.mobile === mobile);
  const confirm = (consent: Consent | undefined): void => {
    if (consent !== undefined) consent.confirmedAt = now();
  };
  const end = (consent: Consent | undefined): void => {
    if (consent !== undefined) consent.endedAt = now();
  };

  return {
    list: (userId) => book.list(userId),
    setDefault: (userId, mobile) => book.setDefault(userId, mobile),
    async addUnconfirmed(userId, mobile, { consentedAt }) {
      // Before the message: if it cannot be written down, nothing is sent.
      const given = { userId, mobile, sentence: SENTENCE, consentedAt };
      consents.push({ ...given, confirmedAt: null, endedAt: null });
      await book.addUnconfirmed(userId, mobile, { consentedAt });
    },
    async confirm(userId, mobile) {
      const isConfirmed = await book.confirm(userId, mobile);
      if (isConfirmed) confirm(find(userId, mobile));
      return isConfirmed;
    },
    async replace(userId, replaced, mobile) {
      const isReplaced = await book.replace(userId, replaced, mobile);
      if (isReplaced) end(find(userId, replaced));
      if (isReplaced) confirm(find(userId, mobile));
      return isReplaced;
    },
    async remove(userId, mobile, options) {
      const isRemoved = await book.remove(userId, mobile, options);
      if (isRemoved) end(find(userId, mobile));
      return isRemoved;
    },
  };
}

type ConsentParts = RecipeParts & { readonly phoneBook: PhoneBook; readonly consents: Consents };

export function createApp({ users, gateway, consents, ...parts }: ConsentParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    phoneBook: withConsents(parts.phoneBook, consents),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    isRequiredFor: (user): Promise<boolean> => smsOtp.canPassSecondFactor(user),
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post(
    '/login',
    firstFactor,
    smsOtp.send({ successRedirect: '/login/pin', notRequiredRedirect: '/phone' }),
  );
  app.post('/login/pin', smsOtp.verify({ successRedirect: '/account' }));

  app.get('/once.js', serveOnce);
  app.get('/phone', (_req, res) => {
    res.send(`<!doctype html><title>Your number</title><script src="/once.js"></script><form method="post" action="/phone">
      <label>Mobile number <input type="tel" name="phone" aria-describedby="consent"></label>
      <p id="consent">${SENTENCE} <a href="/privacy#phone">How we use your number</a></p>
      <button>Text me a code</button></form>`);
  });
  app.post(
    '/phone',
    smsOtp.phones.enroll({ successRedirect: '/phone/pin', failureRedirect: '/phone' }),
  );
  app.post(
    '/phone/pin',
    smsOtp.phones.confirm({ successRedirect: '/account', failureRedirect: '/phone/pin' }),
  );
  app.post(
    '/phone/remove',
    smsOtp.phones.remove({ successRedirect: '/account', failureRedirect: '/account' }),
  );
  app.get('/account', smsOtp.requireSecondFactor(), async (req, res) => {
    const own = req.user && (await smsOtp.phones.list(req.user));
    res.json({ id: req.user?.id, phones: own });
  });
  return app;
}
