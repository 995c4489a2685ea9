import { dirname } from 'node:path';
import { Router, static as serveFolder, type NextFunction, type Request, type Response } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { RANGES, toDashboard, type Range } from '../ops/dashboard';
import { MINUTES_KEPT, type FigureStore } from '../ops/figures';

const MINUTE_MS = 60_000;
/** The charts are drawn by uPlot, served from the package's own files. */
const UPLOT = dirname(require.resolve('uplot'));

/** What the text messages do and cost, for operators with a second factor. `isShared`: all processes are counted. */
export function opsPages(
  smsOtp: Pick<SmsOtp, 'requireSecondFactor'>,
  { figures, now, isShared }: { figures: FigureStore; now: () => number; isShared: boolean },
): Router {
  const router = Router();
  router.use('/ops/uplot', serveFolder(UPLOT, { index: false, setHeaders: allowCache }));

  router.get(
    '/ops',
    smsOtp.requireSecondFactor({ redirect: '/login' }),
    onlyOperators,
    (req: Request, res: Response, next: NextFunction) => {
      const range = readRange(req.query.range);
      const nowMs = now();
      const nowMinute = Math.floor(nowMs / MINUTE_MS);
      figures
        .read(nowMinute - MINUTES_KEPT, nowMinute)
        .then((read) => {
          const dashboard = toDashboard(read, nowMinute, range);
          res.render('ops', { dashboard, range, ranges: RANGES, nowMs, isShared });
        })
        .catch(next);
    },
  );
  return router;
}

function readRange(value: unknown): Range {
  return typeof value === 'string' && Object.hasOwn(RANGES, value) ? (value as Range) : '1h'; // just checked
}

/** The app forbids caching of all it serves; this file is the same for everyone. */
function allowCache(res: Response): void {
  res.set('Cache-Control', 'public, max-age=86400');
}

/** Answers 404 to everyone else. */
function onlyOperators(req: Request, _res: Response, next: NextFunction): void {
  if (req.user?.isOperator === true) next();
  else next('router');
}
