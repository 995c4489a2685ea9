import { join } from 'node:path';
import express, { type Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import type { AppParts } from './app-parts';
import type { Config } from './config';
import { saveToken } from './csrf';
import { answerNotFound, handleError } from './errors';
import { noStore, securityHeaders } from './headers';
import { accountPages } from './pages/account';
import { homePages } from './pages/home';
import { loginPages } from './pages/login';
import { stepUpPages } from './pages/step-up';
import { transferPages } from './pages/transfer';
import { addLogin } from './server';
import { createUsers } from './users';
import { addViews, fillLocals } from './views';

const PAGES_WITH_FORMS = ['/login', '/login/pin', '/step-up', '/account', '/transfer'];

/** The site around the login. */
export function createApp(config: Config, parts: AppParts): { app: Express; smsOtp: SmsOtp } {
  const app = express();
  app.set('trust proxy', config.trustProxy);
  app.use(securityHeaders(config.isProduction));
  app.use(express.static(join(__dirname, 'public'), { index: false }));
  app.use(noStore);
  app.use(express.urlencoded({ extended: false, limit: '10kb' }));
  addViews(app, config.isProduction);
  app.locals.inboxUrl = parts.inboxUrl;

  const smsOtp = addLogin(app, config, createUsers(config.phones), parts);

  app.use(fillLocals);
  app.get(PAGES_WITH_FORMS, saveToken);
  app.use(homePages(), loginPages(smsOtp, parts.now), stepUpPages(smsOtp));
  app.use(accountPages(smsOtp), transferPages(smsOtp));
  app.use(answerNotFound, handleError);
  return { app, smsOtp };
}
