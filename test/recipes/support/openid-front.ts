import type { RequestListener } from 'node:http';
import { cookieFetch } from './cookie-fetch';
import { passwordOf } from './recipe-users';
import { pass, readSent, Relay, type Sent } from './relay';

interface Walk {
  /** Of the user at the provider. */
  readonly name: string;
  /** Where the provider sends the browser back to. */
  readonly back: string;
}

/** Walks through the provider's pages. Returns the address that it sends the browser back to. */
export async function walkToProvider(
  fetch: typeof globalThis.fetch,
  from: string,
  { name, back }: Walk,
): Promise<string> {
  let url = from;
  for (let step = 0; step < 12; step += 1) {
    if (url.startsWith(back)) return url;
    const isForm = url.includes('/interaction/');
    const prompt = isForm ? promptOf(await (await fetch(url)).text()) : '';
    const body = new URLSearchParams({ prompt, login: name, password: 'whatever' });
    const answer = await fetch(url, isForm ? { method: 'POST', body } : {});
    url = new URL(answer.headers.get('location') ?? '/nowhere', url).href;
  }
  throw new Error(`the provider does not come back from ${url}`);
}

/** What the page of the provider asks for: `login` or `consent`. */
function promptOf(page: string): string {
  return /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'none';
}

/**
 * Stands in front of an app whose users log in at a provider: `POST /login` with a password takes
 * the browser to the provider, through its pages and back to the app. A wrong password stays at the
 * provider. All else goes to the app as it is.
 */
export function createOpenIdFront(app: string): RequestListener {
  return (req, res) => {
    const { pathname, search } = new URL(String(req.url).replace(/^\/+/, '/'), app);
    if (req.method !== 'POST' || pathname !== '/login') return pass(app, req, res);
    const relay = new Relay(req);
    const walk = async (): Promise<void> => {
      const fields = readFields(await readSent(req));
      const out = await relay.ask(`${app}/login/openid${search}`);
      const { username = '', password } = fields;
      if (password !== passwordOf(username).password || out.location === null)
        return relay.answer(res, { ...out, status: 401, location: null });
      const walked = { name: `subject-${username}`, back: `${app}/login/callback` };
      const back = await walkToProvider(cookieFetch(), out.location, walked);
      // The browser may add to the address what it likes, so it adds all that the check has sent.
      const more = new URLSearchParams({
        ...fields,
        ...Object.fromEntries(new URLSearchParams(search)),
      });
      relay.answer(res, await relay.ask(`${back}&${more.toString()}`));
    };
    walk().catch(() => res.destroy()); // The check says that nothing was answered.
  };
}

function readFields({ body }: Sent): Readonly<Record<string, string>> {
  return JSON.parse(body) as Readonly<Record<string, string>>; // Of the checks themselves.
}
