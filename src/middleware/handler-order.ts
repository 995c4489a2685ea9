import type { Request } from 'express';
import { readFields, type Warn } from '../errors';

/**
 * Warns of a guard that guards nothing, because the handlers come before it. Reads the app's
 * handlers, and warns only if the guard cannot be meant for anything else.
 */
export function checkGuardOrder(req: Request, warn: Warn): void {
  // Express 4 keeps its router under `_router`, and throws when `router` is read.
  const layers = readStack(readFields(req.app)._router ?? readFields(req.app).router);
  if (!listRoutes(layers).some(hasLateGuard) && !layers.some(isBehindAll)) return;
  warn(
    'SMS_OTP_LATE_GUARD',
    'A requireSecondFactor guards nothing, because the handlers that it should guard come before ' +
      'it. Express calls handlers in the order in which they were added, so those pages are ' +
      "open. Put the guard first: app.get('/account', smsOtp.requireSecondFactor(), showAccount)",
  );
}

/** A handler with its place, as Express keeps it. */
interface Layer {
  readonly handle?: unknown;
  readonly name?: unknown;
  readonly method?: unknown;
  /** What `app.get` and the like have made; undefined for a handler of `use`. */
  readonly route?: unknown;
  /** Returns a truthy value if the handler is called for a path. */
  readonly match?: (path: string) => unknown;
}

/** Returns the layers of a router or a route; none for any other value. */
function readStack(owner: unknown): readonly Layer[] {
  const { stack } = readFields(owner);
  // Express has no types for its layers, but has had these fields since 4.0.
  return Array.isArray(stack) ? (stack as Layer[]) : [];
}

/** The deepest level that is read: a router may be mounted in itself. */
const DEEPEST_ROUTER = 8;

/** Returns the handlers of each route, including those in routers. */
function listRoutes(layers: readonly Layer[], depth = 0): readonly (readonly Layer[])[] {
  if (depth > DEEPEST_ROUTER) return [];
  return layers.flatMap(({ route, handle }) =>
    route === undefined ? listRoutes(readStack(handle), depth + 1) : [readStack(route)],
  );
}

function isGuard(layer: Layer): boolean {
  return layer.name === 'requireSecondFactor';
}

/** Returns whether a guard of a route comes after a handler that always ends the request. */
function hasLateGuard(handlers: readonly Layer[]): boolean {
  return handlers.some(
    (guard, at) =>
      isGuard(guard) &&
      handlers.slice(0, at).some(
        ({ method, handle }) =>
          (method === undefined || method === guard.method) &&
          // Such a handler takes only `req` and `res`. One without parameters may read `arguments`.
          readFields(handle).length === 2,
      ),
  );
}

/**
 * Returns whether a guard of `app.use` comes after routes that it covers, and before none that it
 * may cover.
 */
function isBehindAll(layer: Layer, at: number, layers: readonly Layer[]): boolean {
  if (!isGuard(layer)) return false;
  const after = layers.slice(at + 1).filter(({ handle }) => Number(readFields(handle).length) <= 3);
  return (
    layers.slice(0, at).some((before) => covers(layer, before) === true) &&
    after.every((next) => covers(layer, next) === false)
  );
}

/**
 * Returns whether a guard is called for the path of a route; undefined: not known, as for routers,
 * patterns and lists.
 */
function covers(guard: Layer, other: Layer): boolean | undefined {
  const { path } = readFields(other.route);
  if (typeof path !== 'string') return undefined;
  try {
    return Boolean(guard.match?.(path));
  } catch {
    // Ignore the error: Express cannot decode the path, and the login must go on.
    return undefined;
  }
}
