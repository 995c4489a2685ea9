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
import type { Call } from '../calls/call';

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
export function createRoutes(variant: Variant): FindRoute {
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
