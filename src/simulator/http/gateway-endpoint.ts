import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  AUTH_PATH,
  BALANCE_PATH,
  GENERATE_PATH,
  HLR_BALANCE_PATH,
  HLR_PRICING_PATH,
  LOOKUP_PREFIX,
  PRICING_PATH,
  VALIDATE_PREFIX,
  type Variant,
} from '../../protocol/paths';
import type { Body, Call, CallRequest } from '../calls/call';
import { runCall } from '../calls/run-call';
import type { FaultQueue } from '../faults/fault';
import { playFault } from '../faults/play-fault';
import type { SimulatorState } from '../state';
import { type Answer, createAnswer, sendAnswer } from './answer';

/** Answers one request of the gateway's interface. */
export type GatewayEndpoint = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** The gateway's interface on HTTP: route, body, fault or call, answer. */
export function createGatewayEndpoint(state: SimulatorState, faults: FaultQueue): GatewayEndpoint {
  const findRoute = createRoutes(state.variant);
  return function serveGateway(request, response, path) {
    const route = findRoute(request.method ?? '', path);
    readBody(request, (body) => {
      if (route === null) {
        sendAnswer(response, createAnswer({ kind: 'refused', code: 1007 }, state.readings));
      } else {
        serveCall(state, faults, { request, response, route, body });
      }
    });
  };
}

/** The call of a request, and what the end of its path names. */
interface Route {
  readonly call: Call;
  readonly subject: string;
}

/**
 * Returns a function that finds the call of a request, or null for an unknown URI (1007); lookups are part of both
 * variants. OTP spec §4, HLR spec §4.
 * Not shown in OTP spec §7: the answer to a known path with another method; it is an unknown URI.
 */
function createRoutes(variant: Variant): (method: string, path: string) => Route | null {
  const named = new Map<string, Call>([
    [`POST ${AUTH_PATH}`, 'auth'],
    [`POST ${GENERATE_PATH}`, 'generate'],
    [`GET ${BALANCE_PATH[variant]}`, 'balance'],
    [`GET ${PRICING_PATH[variant]}`, 'pricing'],
    [`GET ${HLR_BALANCE_PATH}`, 'hlr-balance'],
    [`GET ${HLR_PRICING_PATH}`, 'hlr-pricing'],
  ]);
  return function findRoute(method, path) {
    const call = named.get(`${method} ${path}`);
    if (call !== undefined) return { call, subject: '' };
    if (method === 'POST') return readSubject('validate', VALIDATE_PREFIX, path);
    return method === 'GET' ? readSubject('lookup', LOOKUP_PREFIX, path) : null;
  };
}

function readSubject(call: Call, prefix: string, path: string): Route | null {
  const encoded = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (encoded === '' || encoded.includes('/')) return null;
  try {
    return { call, subject: decodeURIComponent(encoded) };
  } catch {
    // Broken percent-encoding names nothing.
    return null;
  }
}

/** More than any documented request needs. */
const MAX_BODY_BYTES = 64 * 1024;

/** Reads the body of a request; null when it is too long. A request that is aborted is never reported. */
function readBody(request: IncomingMessage, onRead: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // A body that is too long is read to its end but not kept, so that the client can read the refusal.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => onRead(size <= MAX_BODY_BYTES ? Buffer.concat(chunks, size) : null));
  // Without a client there is no one to answer.
  request.on('error', () => undefined);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly body: Buffer | null;
}

function serveCall(state: SimulatorState, faults: FaultQueue, exchange: Exchange): void {
  const { request, response, route, body } = exchange;
  const { readings, stats } = state;
  stats.countCall(route.call, route.subject);
  const fault = faults.take(route.call);
  const isBodyAccepted = !readings.requiresJsonContentType || isJson(request.headers['content-type']);
  const callRequest: CallRequest = {
    body: isBodyAccepted ? parseBody(body) : null,
    bearer: readBearer(request.headers.authorization),
    subject: route.subject,
  };
  const answer = (): Answer => createAnswer(runCall(state, route.call, callRequest), readings);
  if (fault === null) {
    sendAnswer(response, answer());
    return;
  }
  stats.count('faults');
  playFault(fault, { response, answer, readings });
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

const bodySchema = z.record(z.string(), z.unknown());

function parseBody(body: Buffer | null): Body | null {
  if (body === null) return null;
  try {
    return bodySchema.safeParse(JSON.parse(body.toString('utf8'))).data ?? null;
  } catch {
    // Invalid JSON is answered like any other value than an object: HTTP 400.
    return null;
  }
}

/** OTP spec §5: `Authorization: Bearer <ACCESS_TOKEN>`. */
function readBearer(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
