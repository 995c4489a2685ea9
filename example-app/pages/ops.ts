import { Router, type NextFunction, type Request, type Response } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { toDashboard, type Dashboard } from '../ops/dashboard';
import { MINUTES_SHOWN, type FigureStore } from '../ops/figures';
import { drawBars, drawLines } from '../ops/plots';

const MINUTE_MS = 60_000;

interface OpsParts {
  readonly figures: FigureStore;
  readonly now: () => number;
  /** Whether all processes share the figures; the page says so. */
  readonly isShared: boolean;
}

/** What the text messages do and cost, for operators with a second factor. */
export function opsPages(smsOtp: Pick<SmsOtp, 'requireSecondFactor'>, { figures, now, isShared }: OpsParts): Router {
  const router = Router();
  const guards = [smsOtp.requireSecondFactor({ redirect: '/login' }), onlyOperators];

  async function read(): Promise<Dashboard> {
    const nowMinute = Math.floor(now() / MINUTE_MS);
    return toDashboard(await figures.read(nowMinute - MINUTES_SHOWN + 1), nowMinute);
  }

  router.get('/ops', guards, (_req: Request, res: Response, next: NextFunction) => {
    read()
      .then((dashboard) => res.render('ops', { dashboard, plots: draw(dashboard), isShared }))
      .catch(next);
  });
  /** The part of the page that changes, for the script that refreshes it. */
  router.get('/ops/figures', guards, (_req: Request, res: Response, next: NextFunction) => {
    read()
      .then((dashboard) => res.render('partials/ops-figures', { dashboard, plots: draw(dashboard) }))
      .catch(next);
  });
  return router;
}

function draw({ sent, verified, latency }: Dashboard): { readonly traffic: string; readonly latency: string } {
  return {
    traffic: drawBars('Messages sent and codes that were right, by the minute', [
      { name: 'sent', values: sent },
      { name: 'right', values: verified },
    ]),
    latency: drawLines('Answer times of the gateway in milliseconds, by the minute', [
      { name: 'half within', values: latency.median },
      { name: '95 % within', values: latency.slow },
    ]),
  };
}

/** Answers 404 to everyone else. */
function onlyOperators(req: Request, _res: Response, next: NextFunction): void {
  if (req.user?.isOperator === true) next();
  else next('router');
}
