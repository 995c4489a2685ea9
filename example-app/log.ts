import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { SmsOtpError, type SmsOtpEvent } from 'passport-sms-otp';
import { pino, type DestinationStream, type Level, type LevelWithSilent } from 'pino';
import type { PasskeyRefusal } from '../docs/recipes/passkeys';
import { UnavailableError } from './errors';

/**
 * The fields of an event that are logged: no masked number, no label, no free text. A new field is
 * not logged until it is listed.
 */
const EVENT_FIELDS = [
  ...['type', 'userId', 'address', 'purpose', 'method', 'reason', 'limit', 'policy', 'stage'],
  ...['mode', 'decision', 'country', 'sends', 'cost', 'failures', 'lockedSeconds', 'count', 'left'],
  ...[
    'factor',
    'call',
    'operation',
    'outcome',
    'durationMs',
    'gatewayCode',
    'retryAfterSeconds',
    'by',
  ],
];
const ERROR_FIELDS = [
  'name',
  'code',
  'status',
  'httpStatus',
  'gatewayCode',
  'gatewayName',
  'retryAfterSeconds',
];

export const WARNINGS: readonly SmsOtpEvent['type'][] = [
  'locked',
  'disabled',
  'sends-used-up',
  'guessing-slowly',
  'guessing-recovery-codes',
  'store-failing',
  'factor-failing',
  'gateway-failing',
  'gateway-refusing',
  'gateway-credentials-refused',
  'token-taken-over',
  'conversion-blocked',
  'lookups-stopped',
];
/** Events that occur many times per login. */
const DETAILS: readonly SmsOtpEvent['type'][] = ['store-call', 'gateway-call', 'policy-decided'];

export type Log = ReturnType<typeof createLog>;

/** Creates a logger that writes one line of JSON per event. Lines of one request have its id. */
export function createLog(level: LevelWithSilent, output: DestinationStream = process.stdout) {
  const requestIds = new AsyncLocalStorage<string>();
  const formatters = { level: (label: string) => ({ level: label }) };
  const mixin = (): object => ({ requestId: requestIds.getStore() });
  const logger = pino({ level, base: { pid: process.pid }, formatters, mixin }, output);

  return {
    onEvent: (event: SmsOtpEvent) =>
      logger[levelOf(event)]({ event: pick(event, EVENT_FIELDS) }, 'event'),
    /** Assigns each request an id, and writes a line after the answer. */
    requests: (req: Request, res: Response, next: NextFunction) => {
      const startedAtMs = performance.now();
      const requestId = randomUUID();
      const tellRequest = (): void => {
        const durationMs = performance.now() - startedAtMs;
        logger.info(
          { method: req.method, route: routeOf(req), status: res.statusCode, durationMs },
          'request',
        );
      };
      // Log each request once, also an aborted one.
      res.once('close', () => requestIds.run(requestId, tellRequest));
      requestIds.run(requestId, next);
    },
    /** A counter that has fallen may mean a copied passkey. */
    passkeyRefused: ({ userId, reason }: PasskeyRefusal) =>
      logger.warn({ passkey: { userId, reason } }, 'refused'),
    accident: (error: unknown) => logger.error({ error: describeError(error) }, 'accident'),
  };
}

function levelOf({ type }: SmsOtpEvent): Level {
  if (WARNINGS.includes(type)) return 'warn';
  return DETAILS.includes(type) ? 'debug' : 'info';
}

/** Returns the route's pattern and not the path, which may contain anything. */
function routeOf({ baseUrl, route }: Request): string | undefined {
  const { path } = Object(route) as { readonly path?: string | RegExp }; // Express says any
  return path === undefined ? undefined : `${baseUrl}${path}`;
}

/**
 * Returns the loggable parts of an error. Messages of the library and of this app are safe to log.
 * Other errors may contain anything, so only their stack frames are logged.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const isOurs = error instanceof SmsOtpError || error instanceof UnavailableError;
  const message = isOurs ? error.message : undefined;
  const places = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return { ...pick(error, ERROR_FIELDS), message, places: places?.map((line) => line.trim()) };
}

function pick(source: object, fields: readonly string[]): Readonly<Record<string, unknown>> {
  const values = source as Readonly<Record<string, unknown>>; // read by name, whatever it holds
  return Object.fromEntries(
    fields.filter((field) => field in values).map((field) => [field, values[field]]),
  );
}
