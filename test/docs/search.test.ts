import { beforeAll, describe, expect, it } from '@jest/globals';
import { mustRun } from '../package/packed/run';
import { ROOT } from './support/pages';

/** What people type into the search, and the page that answers it. */
const QUERIES = [
  ['change the text of the message', '/docs/messages.html'],
  ['user lost phone', '/docs/help-desk.html'],
  ['nginx', '/docs/behind-a-proxy.html'],
  ['prisma', '/docs/faq.html'],
  ['run CI without sending messages', '/docs/testing.html'],
  ['cost if bots attack', '/docs/fraud-and-cost.html'],
  ['GDPR delete a user', '/docs/help-desk.html'],
  ['remaining attempts on the code page', '/docs/pages.html'],
  ['existing app req.user', '/docs/add-to-your-app.html'],
  ['WhatsApp or voice call', '/docs/faq.html'],
  ['how long is a code valid', '/docs/options.html'],
  ['redis down', '/docs/scaling.html'],
  ['cloudflare real ip', '/docs/behind-a-proxy.html'],
  ['users already logged in when I deploy', '/docs/add-to-your-app.html'],
  ['login with phone number only', '/docs/faq.html'],
  ['force 2fa for admins', '/docs/roll-out.html'],
  ['remember this device', '/docs/trusted-devices.html'],
  ['backup codes', '/docs/recovery-codes.html'],
  ['too many redirects', '/docs/troubleshooting.html'],
  ['google authenticator', '/docs/other-factors.html'],
  ['rate limit', '/docs/options.html'],
  ['log out everywhere', '/docs/sessions.html'],
  ['prometheus metrics', '/docs/monitoring.html'],
  ['twilio', '/docs/recipes/twilio-verify.html'],
] as const;

/** Thirty questions of developers, in the words of someone who has not read the pages. */
const QUESTIONS: readonly (readonly [query: string, page: string])[] = [
  ['change the message', '/docs/messages.html'],
  ['lost phone', '/docs/help-desk.html'],
  ['behind nginx', '/docs/behind-a-proxy.html'],
  ['with Prisma', '/docs/faq.html'],
  ['CI without messages', '/docs/testing.html'],
  ['what does it cost if bots attack', '/docs/fraud-and-cost.html'],
  ['GDPR: delete a user', '/docs/help-desk.html'],
  ['remaining attempts', '/docs/pages.html'],
  ['TypeScript req.user', '/docs/quick-start.html'],
  ['email instead of SMS', '/docs/faq.html'],
  ['how long is a code valid', '/docs/options.html'],
  ['what if Redis is down', '/docs/scaling.html'],
  ['limit per IP behind Cloudflare', '/docs/behind-a-proxy.html'],
  ['old sessions of users already logged in', '/docs/add-to-your-app.html'],
  ['log in with phone number only', '/docs/faq.html'],
  ['force 2FA for admins', '/docs/roll-out.html'],
  ['remember device', '/docs/trusted-devices.html'],
  ['WhatsApp or voice', '/docs/faq.html'],
  ['what is stored about a user', '/docs/how-it-works.html'],
  ['upgrade to a new version', '/docs/versioning.html'],
  ['several phone numbers per user', '/docs/phone-numbers.html'],
  ['provider outage fallback', '/docs/recipes/failover.html'],
  ['docker compose', '/docs/faq.html'],
  ['style the pages with css', '/docs/pages.html'],
  ['log out other devices after a password change', '/docs/sessions.html'],
  ['react frontend', '/docs/recipes/single-page-app.html'],
  ['test with playwright', '/docs/testing.html'],
  ['which node versions', '/docs/versioning.html'],
  ['graceful shutdown kubernetes', '/docs/scaling.html'],
  ['unlock a user', '/docs/help-desk.html'],
];

/** Returns the first three pages that the search of the site finds, for each query. */
async function search(queries: readonly string[]): Promise<readonly (readonly string[])[]> {
  const printed = await mustRun('node', ['docs/site/find.mjs', ...queries], ROOT);
  // The script prints one list for each query.
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

describe('the search of the site', () => {
  let found: readonly (readonly string[])[];

  beforeAll(async () => {
    found = await search(QUERIES.map(([query]) => query));
  });

  it.each(QUERIES.map(([query, page], index) => ({ query, page, index })))(
    'puts $page first for "$query"',
    ({ page, index }) => {
      expect(found[index]?.[0]).toBe(page);
    },
  );

  it('answers thirty questions: 24 by the first page, 29 by one of three', async () => {
    const pages = await search(QUESTIONS.map(([query]) => query));
    const places = QUESTIONS.map(([, page], index) => pages[index]?.indexOf(page) ?? -1);
    expect(places.filter((place) => place === 0).length).toBeGreaterThanOrEqual(24);
    expect(places.filter((place) => place >= 0).length).toBeGreaterThanOrEqual(29);
  });
});
