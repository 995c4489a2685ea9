import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { PATHS, type Variant } from '../../protocol/paths';
import { lookUp, showBalance, showHlrPricing, showPricing } from '../calls/account';
import { authenticate } from '../calls/auth';
import { type Body, type Call, type CallRequest, type Outcome, refuse } from '../calls/call';
import { generate, validate } from '../calls/otp';
import { type FaultQueue, playFault } from '../faults';
import { createInbox, receiveText } from '../inbox/inbox';
import { isLoopbackHost } from '../options';
import type { SimulatorState } from '../state';
import { type SimulatedAnswer, createAnswer, createBareAnswer, sendAnswer } from './answer';

/** Returns the handler for all requests: the inbox page and the gateway's interface. */
export function createRequestListener(state: SimulatorState, faults: FaultQueue): RequestListener {
  const { variant, readings, stats } = state;
  const serveInbox = createInbox(state.outbox, variant);

  function serveCall(
    route: Route,
    request: IncomingMessage,
    body: Buffer | null,
    response: ServerResponse,
  ) {
    const { call, subject } = route;
    stats.countCall(call, subject);
    const fault = faults.take(call);

    const isBodyAccepted =
      !readings.requiresJsonContentType || JSON_TYPE.test(request.headers['content-type'] ?? '');
    // OTP spec §5: `Authorization: Bearer <ACCESS_TOKEN>`.
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
    const callRequest = { body: isBodyAccepted ? parseBody(body) : null, bearer, subject };
    const answer = (): SimulatedAnswer =>
      createAnswer(runCall(state, route, callRequest), readings);

    if (fault === null) return sendAnswer(response, answer());
    stats.count('faults');
    playFault(fault, { response, answer, readings });
  }

  /** Receives a message. It must be JSON, which no page of another site can send here. */
  function receive(request: IncomingMessage, body: Buffer | null, response: ServerResponse): void {
    const isJson = JSON_TYPE.test(request.headers['content-type'] ?? '');
    const json = isJson ? parseBody(body) : null;
    const isReceived = receiveText(state.outbox, state.clock.nowMs(), json);
    response.writeHead(isReceived ? 201 : 400, { 'Content-Length': 0 }).end();
  }

  return function serve(request, response) {
    // Ignore errors of the socket: the request ends with it.
    response.on('error', () => undefined);

    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!isLoopbackAuthority(request.headers.host)) {
      sendAnswer(response, createBareAnswer(403, readings));
    } else if (path === '/inbox/messages' && request.method === 'POST') {
      readBody(request, (body) => receive(request, body, response));
    } else if (path === '/' || path.startsWith('/inbox')) {
      serveInbox(request, response, path);
    } else {
      const route = findRoute(variant, request.method, path);
      readBody(request, (body) => {
        if (route !== null) serveCall(route, request, body, response);
        else sendAnswer(response, createAnswer({ kind: 'refused', code: 1007 }, readings));
      });
    }
  };
}

/** A route of a call, with the function that processes it. */
interface CallRoute {
  readonly call: Call;
  readonly method: 'GET' | 'POST';
  readonly handle: (state: SimulatorState, request: CallRequest) => Outcome;
}

/** The routes of all calls. Both variants have lookups. OTP spec §4, HLR spec §4. */
const ROUTES: readonly CallRoute[] = [
  { call: 'auth', method: 'POST', handle: authenticate },
  { call: 'generate', method: 'POST', handle: generate },
  { call: 'validate', method: 'POST', handle: validate },
  { call: 'balance', method: 'GET', handle: showBalance },
  { call: 'pricing', method: 'GET', handle: showPricing },
  { call: 'hlr-balance', method: 'GET', handle: showBalance },
  { call: 'hlr-pricing', method: 'GET', handle: showHlrPricing },
  // Match this route last: the two above share its prefix.
  { call: 'lookup', method: 'GET', handle: lookUp },
];

/** The route of a request, with the id or number at the end of its path. */
interface Route extends CallRoute {
  readonly subject: string;
}

/**
 * Returns the route of a request, or null for an unknown URI (1007). Not shown in OTP spec §7: the
 * answer to a known path with another method. It is an unknown URI.
 */
function findRoute(variant: Variant, method: string | undefined, path: string): Route | null {
  for (const route of ROUTES) {
    const own = PATHS[route.call];
    const subject = readSubject(typeof own === 'string' ? own : own[variant], path);
    if (route.method === method && subject !== null) return { ...route, subject };
  }
  return null;
}

/**
 * Returns the id or number at the end of a path: '' if the call has none, null if the path belongs
 * to another call.
 */
function readSubject(own: string, path: string): string | null {
  if (!own.endsWith('/')) return path === own ? '' : null;

  const encoded = path.startsWith(own) ? path.slice(own.length) : '';
  if (encoded === '' || encoded.includes('/')) return null;

  try {
    return decodeURIComponent(encoded);
  } catch {
    // A path with invalid percent-encoding matches no route.
    return null;
  }
}

/** The largest body that is accepted, more than any documented request needs. */
const MAX_BODY_BYTES = 64 * 1024;

/** Reads the body of a request. Null if it is too long. An aborted request is never reported. */
function readBody(request: IncomingMessage, onRead: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;

  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // Read a body that is too long to its end without keeping it, so that the client can read the
    // refusal.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => onRead(size <= MAX_BODY_BYTES ? Buffer.concat(chunks, size) : null));
  // Ignore the error: without a client there is nothing to answer.
  request.on('error', () => undefined);
}

/**
 * Runs a call. All calls except auth require a valid access token. OTP spec §5, HLR spec §5. OTP
 * spec §7: HTTP 400 is "often invalid JSON". Not shown in OTP spec §7: the code that comes with it.
 * It is the code of the first missing field.
 */
function runCall(state: SimulatorState, route: CallRoute, request: CallRequest): Outcome {
  const { bearer } = request;
  const isAuthorized = route.call === 'auth' || (bearer !== null && state.tokens.isActive(bearer));
  const outcome = isAuthorized ? route.handle(state, request) : refuse(1009);
  if (outcome.kind === 'done') return outcome;

  state.stats.countRefusal(outcome.code);
  const isUnreadable = isAuthorized && route.method === 'POST' && request.body === null;
  return { ...outcome, isUnreadable };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

const bodySchema = z.record(z.string(), z.unknown());

function parseBody(body: Buffer | null): Body | null {
  if (body === null) return null;
  try {
    return bodySchema.safeParse(JSON.parse(body.toString('utf8'))).data ?? null;
  } catch {
    // Treat invalid JSON like any other value that is not an object: HTTP 400.
    return null;
  }
}

/**
 * Returns true if the Host header names this machine. Otherwise a web page may have rebound its own
 * name to this address.
 */
function isLoopbackAuthority(authority: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:@/]+)(:[0-9]{1,5})?$/i.exec(authority ?? '')?.[1];
  return name !== undefined && isLoopbackHost(name);
}

/**
 * The time until idle connections are closed. It is longer than any pause of a test run, so that a
 * reused connection is never closed during a request.
 */
const KEEP_ALIVE_MS = 65_000;
/** Connections that may wait to be accepted. Load tests open all of them at once. */
const BACKLOG = 2_048;

/** Listens on a loopback address. `close` closes every connection and stops listening. */
export async function listen(host: string, port: number, serve: RequestListener) {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve);
  await once(server.listen({ host, port, backlog: BACKLOG }), 'listening');

  const close = async (): Promise<void> => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  };

  // A server that listens on a port has this type of address.
  return { port: (server.address() as AddressInfo).port, close };
}
