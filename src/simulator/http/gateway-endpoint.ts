import type { IncomingMessage, ServerResponse } from 'node:http';
import { runCall } from '../calls/run-call';
import type { CallRequest } from '../calls/call';
import type { FaultQueue } from '../faults/fault-queue';
import { playFault } from '../faults/play-fault';
import type { World } from '../world';
import { writeAnswer, type Answer } from './answer';
import { readBody } from './read-body';
import { createRoutes, type Route } from './route';
import { sendAnswer } from './send-answer';

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
