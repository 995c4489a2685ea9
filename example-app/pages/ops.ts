import { dirname } from 'node:path';
import {
  Router,
  static as serveFolder,
  type NextFunction,
  type Request,
  type Response,
} from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { RANGES, toDashboard, type Range } from '../ops/dashboard';
import { MINUTES_KEPT, type FigureStore } from '../ops/figures';
import { readSupport } from '../ops/support';

const MINUTE_MS = 60_000;
/** The folder of uPlot, which draws the charts. Its files are served from the package. */
const UPLOT = dirname(require.resolve('uplot'));

/**
 * Returns the routes for operators with a second factor: figures and costs of the messages.
 * `isShared`: all processes are counted.
 */
export function opsPages(
  { requireSecondFactor }: Pick<SmsOtp, 'requireSecondFactor'>,
  { figures, now, isShared }: { figures: FigureStore; now: () => number; isShared: boolean },
): Router {
  const router = Router();
  const known = new Map<string, string>();
  // Allow caching again, which the app forbids: these files are the same for all users.
  const setHeaders = (res: Response) => res.set('Cache-Control', 'public, max-age=86400');
  router.use('/ops/uplot', serveFolder(UPLOT, { index: false, setHeaders }));

  const withFactor = requireSecondFactor({ redirect: '/login' });
  router.get('/ops', withFactor, onlyOperators, async (req, res) => {
    const { range: asked } = req.query;
    const range =
      typeof asked === 'string' && Object.hasOwn(RANGES, asked) ? (asked as Range) : '1h'; // just checked
    const nowMs = now();
    const nowMinute = Math.floor(nowMs / MINUTE_MS);
    const dashboard = toDashboard(
      await figures.read(nowMinute - MINUTES_KEPT, nowMinute),
      nowMinute,
      range,
      known,
    );
    res.render('ops', { dashboard, range, ranges: RANGES, nowMs, isShared });
  });
  router.get('/ops/support', withFactor, onlyOperators, (_req, res) =>
    res.render('ops-support', { support: readSupport() }),
  );
  return router;
}

/** Answers 404 to all other users. */
function onlyOperators({ user }: Request, _res: Response, next: NextFunction): void {
  next(user?.isOperator ? undefined : 'router');
}
