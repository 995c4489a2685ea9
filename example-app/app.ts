import { join } from 'node:path';
import express, { type Express } from 'express';
import type { AppParts } from './app-parts';
import type { Config } from './config';
import { saveToken } from './csrf';
import { answerNotFound, handleErrors } from './errors';
import { noStore, securityHeaders } from './headers';
import { fillLanguage, languageSwitch } from './i18n/language';
import { createLog } from './log';
import { memoryFigures } from './ops/figures';
import { recordEvents } from './ops/record-events';
import { accountPages } from './pages/account';
import { codePages } from './pages/code';
import { devicePages } from './pages/devices';
import { enrollPages } from './pages/enroll';
import { homePages } from './pages/home';
import { loginPages } from './pages/login';
import { loginListPages } from './pages/login-list';
import { phonePages } from './pages/phones';
import { recoveryCodePages } from './pages/recovery-codes';
import { settingsPages } from './pages/settings';
import { opsPages } from './pages/ops';
import { stepUpPages } from './pages/step-up';
import { transferPages } from './pages/transfer';
import { addLogin, type BankOtp } from './server';
import { addViews, fillLocals } from './views';

const PAGES_WITH_FORMS = ['/login', '/login/pin', '/step-up', '/enroll', '/account', '/transfer', '/settings'];

/** Creates the site around the login. */
export function createApp(config: Config, parts: AppParts): { app: Express; smsOtp: BankOtp } {
  const app = express();
  app.set('trust proxy', config.trustProxy);
  app.use(securityHeaders(config.isProduction));
  app.use(express.static(join(__dirname, 'public'), { index: false }));
  const log = parts.log ?? createLog('silent');
  app.use(log.requests);
  app.use(noStore, fillLanguage(parts.now), languageSwitch(config));
  app.use(express.urlencoded({ extended: false, limit: '10kb' }));
  addViews(app, config.isProduction);
  app.locals.inboxUrl = parts.inboxUrl;

  const figures = parts.figures ?? memoryFigures();
  const recorder = recordEvents(figures, parts.now);
  const smsOtp = addLogin(app, config, {
    ...parts,
    policies: [recorder.policy],
    onEvent: (event) => {
      log.onEvent(event);
      recorder.onEvent(event);
    },
  });

  app.use(fillLocals);
  app.get(PAGES_WITH_FORMS, saveToken);
  app.use(homePages(), loginPages(smsOtp), codePages(smsOtp, parts.now), stepUpPages(smsOtp));
  app.use(enrollPages(smsOtp), accountPages(smsOtp), transferPages(smsOtp));
  app.use(settingsPages(smsOtp), phonePages(smsOtp), recoveryCodePages(smsOtp));
  app.use(devicePages(smsOtp), loginListPages(smsOtp));
  app.use(opsPages(smsOtp, { figures, now: parts.now, isShared: parts.figures !== undefined }));
  app.use(answerNotFound, handleErrors(log));
  return { app, smsOtp };
}
