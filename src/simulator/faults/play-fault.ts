import type { ServerResponse } from 'node:http';
import { writeAnswer, writeBareStatus, type Answer } from '../http/answer';
import { sendAnswer } from '../http/send-answer';
import type { Readings } from '../readings';
import type { Fault } from './fault';
import { sendHalf, sendSlowly } from './partial-answer';
import { sendCompressed, sendHuge } from './padded-answer';

/** What a fault needs to strike. */
export interface Stage {
  readonly response: ServerResponse;
  readonly readings: Readings;
  /** Does what was asked and gives the answer that would have been sent. */
  readonly answer: () => Answer;
}

/** Plays one fault on one call. */
export function playFault(fault: Fault, stage: Stage): void {
  if ('when' in fault && fault.when === 'after' && fault.kind !== 'latency') stage.answer();
  const { response, readings, answer } = stage;
  switch (fault.kind) {
    case 'latency':
      return delay(fault.ms, fault.when ?? 'before', stage);
    case 'no-answer':
      return undefined;
    case 'reset':
      return reset(response);
    case 'half-answer':
      return sendHalf(response, answer());
    case 'slow-drip':
      return sendSlowly(response, answer(), fault.intervalMs);
    case 'huge':
      return sendHuge(response, answer(), fault.bytes);
    case 'compressed':
      return sendCompressed(response, answer(), fault.bytes);
    case 'content-type':
      return sendAnswer(response, { ...answer(), contentType: fault.value });
    case 'error':
    case 'html-502':
    case 'redirect':
    case 'status':
    case 'body':
      return sendAnswer(response, composeAnswer(fault, readings));
  }
}

type ComposedFault = Extract<Fault, { kind: 'error' | 'html-502' | 'redirect' | 'status' | 'body' }>;

function composeAnswer(fault: ComposedFault, readings: Readings): Answer {
  switch (fault.kind) {
    case 'error':
      return composeError(fault, readings);
    case 'html-502':
      return {
        httpStatus: 502,
        contentType: 'text/html',
        body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      };
    case 'redirect': {
      const headers = { Location: fault.location ?? '/apis/redirected' };
      return { ...writeBareStatus(fault.status ?? 307, readings), headers };
    }
    case 'status': {
      const headers =
        fault.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(fault.retryAfterSeconds) };
      return { ...writeBareStatus(fault.status, readings), headers };
    }
    case 'body':
      return {
        httpStatus: fault.status,
        contentType: fault.contentType ?? 'application/json',
        body: fault.body,
      };
  }
}

function composeError(
  { code, httpStatus, status200 }: Extract<Fault, { kind: 'error' }>,
  readings: Readings,
): Answer {
  const asked = status200 === true ? 200 : httpStatus;
  return writeAnswer({ kind: 'refused', code, ...(asked !== undefined && { httpStatus: asked }) }, readings);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function delay(ms: number, when: 'before' | 'after', { response, answer }: Stage): void {
  const early = when === 'after' ? answer() : null;
  const timer = setTimeout(() => sendAnswer(response, early ?? answer()), ms);
  response.once('close', () => clearTimeout(timer));
}
