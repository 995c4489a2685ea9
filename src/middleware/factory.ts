import type { Request, RequestHandler, Response } from 'express';
import { UsageError } from '../errors';
import type { Refusal, SmsOtpOutcome } from '../core/outcome';
import type { MiddlewareContext } from './context';
import { handleAsync, listHandlers, loadOptions } from './handler';
import type { CheckedOptions, MiddlewareName, RedirectOptions } from './options';
import { withPaths } from './paths';
import { wantsJson } from './request-kind';
import { finishRefusal } from './answer';
import { LOGIN_ENDED } from './notice';

/**
 * Handles a request with checked options. True: go on to the next handler. False: it has answered.
 */
type Handle<Name extends MiddlewareName> = (
  req: Request,
  res: Response,
  options: CheckedOptions<Name>,
) => Promise<boolean>;

/**
 * The methods on which a middleware acts: only POST, unless it is listed here. Any other site can
 * make a browser send a GET with the cookies of its user.
 */
const METHODS: Partial<Record<MiddlewareName, readonly string[]>> = {
  // Links in emails and callbacks of OAuth providers are GETs.
  send: ['GET', 'POST'],
  // A GET logs out, with a warning.
  logout: ['GET', 'POST'],
};

function refuseMethod(res: Response, methods: readonly string[]): void {
  res.setHeader('Allow', methods.join(', '));
  res.setHeader('Cache-Control', 'no-store');
  res.status(405).json({ error: 'method-not-allowed' });
}

/** How one middleware differs from the others. */
interface Traits<Name extends MiddlewareName> {
  /**
   * Makes the outcome of a request whose login has ended. Such a request is refused before `handle`
   * is called. Null: `handle` is called even without an active login.
   */
  readonly refusesEnded: ((refusal: Refusal) => SmsOtpOutcome) | null;
  /**
   * Checks the options when the middleware is made. Throws if they do not fit those of
   * `createSmsOtp`.
   */
  readonly check?: (options: CheckedOptions<Name>) => void;
}

/**
 * Creates the factory of a middleware, which checks the options when it is called. Stack traces
 * show `functionName`. A request by any other method is answered with 405.
 * @param context Its `paths` say where the middleware leads if its own options do not. For a
 * request that asks for JSON, only its own options count.
 */
export function createFactory<Name extends MiddlewareName>(
  context: MiddlewareContext,
  name: Name,
  functionName: string,
  handle: Handle<Name>,
  { refusesEnded, check }: Traits<Name>,
): (options?: unknown) => RequestHandler {
  const { readOptions } = loadOptions();
  const methods = METHODS[name] ?? ['POST'];
  return (given = {}, ...others: readonly unknown[]) => {
    if (others.length > 0) throw new UsageError('ERR_NOT_CALLED', name);
    const options = readOptions(name, given);
    const forPages = withPaths(name, options, context.paths);
    check?.(forPages);
    const middleware: RequestHandler = (req, res, next) => {
      if (!methods.includes(req.method)) return refuseMethod(res, methods);
      handleAsync(res, next, async () => {
        const used = wantsJson(req) ? options : forPages;
        if (refusesEnded !== null && !(await context.logins.isStillActive(req)))
          return refuseEnded(context, req, res, used, refusesEnded);
        const goesOn = await handle(req, res, used);
        // Do not answer for `firstFactor`: a right password alone is no success. Without `send`
        // behind it, Express answers 404.
        return goesOn && (name === 'firstFactor' || !answerAsLast(req, res, middleware));
      });
    };
    return Object.defineProperty(middleware, 'name', { value: functionName });
  };
}

/**
 * Refuses a request whose login has ended, for example by "log out everywhere" in another browser.
 */
function refuseEnded(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: object,
  toOutcome: (refusal: Refusal) => SmsOtpOutcome,
): Promise<false> {
  const { pending } = context.slot.read(req);
  // `optionsWith` has no `failureRedirect`: it always answers with JSON.
  const { failureRedirect }: RedirectOptions = options;
  const refused = { refusal: LOGIN_ENDED, pending };
  return finishRefusal(context, req, res, { failureRedirect }, refused, toOutcome);
}

/**
 * Answers a success as JSON if no handler follows in the route, where Express would answer with
 * 404. Returns whether it has answered. A middleware that is mounted by `use`, or called by the
 * app, goes on.
 */
function answerAsLast(req: Request, res: Response, middleware: RequestHandler): boolean {
  if (listHandlers(req).at(-1) !== middleware) return false;
  res.setHeader('Cache-Control', 'no-store');
  res.json(req.smsOtp ?? {});
  return true;
}
