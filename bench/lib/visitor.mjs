import { createRequire } from 'node:module';

const { Agent, request } = createRequire(import.meta.url)('undici');
const dispatcher = new Agent({ connections: 64 });

/**
 * What a browser keeps when its session is over, by site and user: most people come back in the
 * browser they had.
 */
const kept = new Map();
const BROWSER_COOKIE = /^__Host-(sms-otp-)?browser=/;

/** A browser that keeps cookies. */
export function createVisitor(baseUrl, id) {
  const place = `${baseUrl} ${id}`;
  const cookies = new Map(kept.get(place));
  return async function visit(method, path, body, type = 'application/x-www-form-urlencoded') {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...(cookie && { cookie }),
      ...(body && { 'content-type': type, origin: 'http://127.0.0.1' }),
    };
    const answer = await request(baseUrl + path, { method, headers, body, dispatcher });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
      if (BROWSER_COOKIE.test(pair)) kept.set(place, [[pair.slice(0, at), pair.slice(at + 1)]]);
    }
    await answer.body.dump();
    return answer.statusCode;
  };
}

/** A whole login over forms; throws when any step answers otherwise than it should. */
export async function logInByForms(baseUrl, id) {
  const visit = createVisitor(baseUrl, id);
  expectStatus(await visit('POST', '/login', `username=${id}&password=x`), [302, 303]);
  expectStatus(await visit('POST', '/login/pin', 'pin=123456'), [302, 303]);
  expectStatus(await visit('GET', '/account'), [200]);
}

/** The same with better-auth's routes. @param codes by address, each taken once. */
export async function logInByBetterAuth(baseUrl, id, codes) {
  const visit = createVisitor(baseUrl, id);
  const post = (path, body) =>
    visit('POST', `/api/auth${path}`, JSON.stringify(body), 'application/json');
  const email = `${id}@example.com`;
  expectStatus(await post('/sign-in/email', { email, password: 'password-1' }), [200]);
  expectStatus(await post('/two-factor/send-otp', {}), [200]);
  // The code comes from another process on a way of its own.
  for (let wait = 0; wait < 1000 && !codes.has(email); wait += 1) await new Promise(setImmediate);
  const code = codes.get(email);
  codes.delete(email);
  expectStatus(await post('/two-factor/verify-otp', { code }), [200]);
  expectStatus(await visit('GET', '/account'), [200]);
}

function expectStatus(status, expected) {
  if (!expected.includes(status)) throw new Error(`answered ${status}`);
}

export const closeVisitors = () => dispatcher.close();
