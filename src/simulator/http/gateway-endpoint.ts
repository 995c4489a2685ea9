import type { IncomingMessage, ServerResponse } from 'node:http';
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
import type { Call, CallRequest } from '../calls/call';
import { runCall } from '../calls/run-call';
import type { FaultQueue } from '../faults/fault';
import { playFault } from '../faults/play-fault';
import type { World } from '../state';
import { type Answer, sendAnswer, writeAnswer } from './answer';

/** More than any documented request needs. */
const MAX_BODY_BYTES = 64 * 1024;

/** Reads a request's body; null when it is too long. A request that breaks off is never reported. */
function readBody(request: IncomingMessage, onRead: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // What is too long is still read to its end, so that the refusal can be read, but not kept.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => onRead(size <= MAX_BODY_BYTES ? Buffer.concat(chunks, size) : null));
  // A client that goes away takes its request with it.
  request.on('error', () => undefined);
}

/** Which call a request is, and what the end of its path names. */
export interface Route {
  readonly call: Call;
  readonly subject: string;
}

/** Finds the call of a request; null is an unknown URI (1007). OTP spec §4, HLR spec §4. */
export type FindRoute = (method: string, path: string) => Route | null;

/**
 * The routes of one variant; lookups are part of both.
 * Not shown in OTP spec §7: the answer to a known path with another method; it is an unknown URI.
 */
function createRoutes(variant: Variant): FindRoute {
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

/** Answers one request of the gateway's interface. */
export type GatewayEndpoint = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** The gateway's interface on HTTP: route, body, fault or call, answer. */
export function createGatewayEndpoint(world: World, faults: FaultQueue): GatewayEndpoint {
  const findRoute = createRoutes(world.variant);
  return function serveGateway(request, response, path) {
    const route = findRoute(request.method ?? '', path);
    readBody(request, (body) => {
      if (route === null) {
        sendAnswer(response, writeAnswer({ kind: 'refused', code: 1007 }, world.readings));
      } else {
        serveCall(world, faults, { request, response, route, body });
      }
    });
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly body: Buffer | null;
}

function serveCall(world: World, faults: FaultQueue, { request, response, route, body }: Exchange): void {
  world.stats.countCall(route.call, route.subject);
  const fault = faults.take(route.call);
  const isBodyTaken = !world.readings.requiresJsonContentType || isJson(request.headers['content-type']);
  const callRequest: CallRequest = {
    body: isBodyTaken ? parseRecord(body) : null,
    bearer: readBearer(request.headers.authorization),
    subject: route.subject,
  };
  const answer = (): Answer => writeAnswer(runCall(world, route.call, callRequest), world.readings);
  if (fault === null) {
    sendAnswer(response, answer());
    return;
  }
  world.stats.countFault();
  playFault(fault, { response, answer, readings: world.readings });
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

function parseRecord(body: Buffer | null): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    // A record of unknown members is all that is claimed of it.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // No JSON is answered like no object: HTTP 400.
    return null;
  }
}

/** OTP spec §5: `Authorization: Bearer <ACCESS_TOKEN>`. */
function readBearer(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
