import type { IncomingHttpHeaders } from 'node:http';

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * What is not as documented about the head of an answer, or null. OTP spec §4, HLR spec §4: JSON, and nothing about
 * redirects or encodings: one would send the body to another server, the other could unpack to any size.
 */
export function findHeadProblem(
  httpStatus: number,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): string | null {
  const encoding: unknown = headers['content-encoding'];
  const type: unknown = headers['content-type'];
  if (httpStatus >= 300 && httpStatus < 400) return 'it is a redirect';
  if (encoding !== undefined && !isIdentity(encoding)) return 'it is encoded';
  if (typeof type !== 'string' || !JSON_TYPE.test(type)) return 'it is not JSON';
  if (Number(headers['content-length'] ?? 0) > maxBytes) return 'it is too large';
  return null;
}

function isIdentity(encoding: unknown): boolean {
  return typeof encoding === 'string' && encoding.toLowerCase() === 'identity';
}
