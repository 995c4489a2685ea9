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

describe('the search of the site', () => {
  let found: readonly (readonly string[])[];

  beforeAll(async () => {
    const queries = QUERIES.map(([query]) => query);
    const said = await mustRun('node', ['docs/site/find.mjs', ...queries], ROOT);
    // The script prints one list for each query.
    found = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
  });

  it.each(QUERIES.map(([query, page], index) => ({ query, page, index })))(
    'puts $page first for "$query"',
    ({ page, index }) => {
      expect(found[index]?.[0]).toBe(page);
    },
  );
});
