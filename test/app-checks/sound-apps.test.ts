import { describe, expect, it } from '@jest/globals';
import { appChecks } from 'passport-sms-otp/testing';
import { isCompleteRun } from '../support/complete-run';
import { behindProxies } from './sound/behind-proxies';
import { etaPages } from './sound/eta-pages';
import { express4App } from './sound/express-4-app';
import { firstNumber } from './sound/first-number';
import { jsonApi } from './sound/json-api';
import { nestApp } from './sound/nest-app';
import { ownPassword } from './sound/own-password';
import { singlePage } from './sound/single-page';
import { errorPageShop, formShop, graphShop, orderShop, pathsShop } from './sound/small-shops';
import { socketFeed } from './sound/socket-feed';
import { tokenApi } from './sound/token-api';
import { askAll } from './support/ask-all';
import { useGateway } from './support/use-gateway';

const APPS = {
  'an API that takes JSON': jsonApi,
  'pages made of templates': etaPages,
  'Express 4 and plain authenticate': express4App,
  'an app of one page': singlePage,
  'tokens in place of sessions': tokenApi,
  'controllers of Nest': nestApp,
  'two proxies and a trusted device': behindProxies,
  'a password check of its own': ownPassword,
  'users who add their first number': firstNumber,
  'a form that redirects to its own page': formShop,
  'forms that redirect to a new address each time': orderShop,
  'a form that redirects to an open page': errorPageShop,
  'a guard that leads to the page of the code': pathsShop,
  'a query language that answers strangers with 200': graphShop,
  'a feed over a socket': socketFeed,
};

/** Checks that a run makes of each app; the complete run makes all. */
const PARTS = isCompleteRun ? 1 : 3;
const FEWEST = 30;

describe('no check gives a false alarm about', () => {
  const gateway = useGateway();

  it.each(
    Object.entries(APPS).map(([title, describeApp], place) => [title, describeApp, place] as const),
  )('%s', async (_title, describeApp, place) => {
    const checks = appChecks(describeApp(gateway));
    const asked = checks.filter((_check, index) => (index + place) % PARTS === 0);
    const { passed, failures } = await askAll(asked);
    expect(failures.map(({ message }) => message)).toEqual([]);
    expect(passed.length).toBeGreaterThan(FEWEST / PARTS);
  });
});
