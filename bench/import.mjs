// The cost of loading, in an app that has express, express-session and passport already. Each
// process loads these three first and then the subject, so that both figures of a ratio come from
// the same process and the same moment.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { interleave, show, summarize } from './lib/measure.mjs';

const require = createRequire(import.meta.url);
const ROUNDS = 15;
const HOST = "require('express'); require('express-session'); require('passport');";
// The copy that ours loads: the other packages have one of their own.
const { resolve: ourResolve } = createRequire(new URL('../dist/index.js', import.meta.url));
const ZOD = `require('${ourResolve('zod')}');`;
const GATEWAY =
  "{ baseUrl: 'https://gateway.example.com', variant: 'A', username: 'u', password: 'p' }";
const CREATE = `require('../dist/index.js').createSmsOtp({
  gateway: ${GATEWAY},
  allowedCountries: ['US'],
  getPhone: () => null,
  loadUser: () => null,
  secret: 'a secret of the benchmark, long enough to be one',
});`;
const CONSTRUCT = `new (require('../dist/client/index.js').GatewayClient)(${GATEWAY});`;

/**
 * What is loaded before the clock starts, what is timed, and at most how much of the host it may
 * take.
 */
const subjects = {
  'passport-sms-otp': { code: "require('../dist/index.js');", goal: 0.42 },
  'passport-sms-otp and createSmsOtp': { code: CREATE, goal: 1.3 },
  'the same, zod loaded before': { before: ZOD, code: CREATE, goal: 0.65 },
  'passport-sms-otp/client': { code: "require('../dist/client/index.js');", goal: 0.15 },
  'passport-sms-otp/client and new GatewayClient': { code: CONSTRUCT, goal: 0.88 },
  'zod alone': { code: ZOD },
  'zod/mini alone': { code: `require('${require.resolve('zod/mini')}');` },
  twilio: { code: "require('twilio');" },
  'better-auth': { code: "await import('better-auth'); await import('better-auth/plugins');" },
};

/**
 * Milliseconds of the host and of the subject, and the megabytes that the subject adds to the
 * process.
 */
function measure({ before = '', code }) {
  const script = `(async () => {
    const startedAt = performance.now();
    ${HOST}
    const hostMs = performance.now() - startedAt;
    ${before}
    const memory = process.memoryUsage().rss;
    const loadedAt = performance.now();
    ${code}
    const ms = performance.now() - loadedAt;
    const megabytes = (process.memoryUsage().rss - memory) / 2 ** 20;
    console.log(JSON.stringify({ hostMs, ms, megabytes, ratio: ms / hostMs }));
    process.exit(0);
  })()`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--eval', script], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const figures = await interleave(subjects, ROUNDS, (subject) => Promise.resolve(measure(subject)));
const of = (name, field) => summarize(figures[name].map((figure) => figure[field]));
const hosts = Object.values(figures).flatMap((rounds) => rounds.map(({ hostMs }) => hostMs));

process.stdout.write(
  JSON.stringify({
    title: 'Import',
    columns: ['package', 'ms', 'time / the three together', 'MB'],
    rows: [
      ['express + express-session + passport', show(summarize(hosts), 0), '1', ''],
      ...Object.keys(subjects).map((name) => [
        name,
        show(of(name, 'ms'), 0),
        show(of(name, 'ratio')),
        show(of(name, 'megabytes'), 1),
      ]),
    ],
    goals: [
      ...Object.entries(subjects)
        .filter(([, { goal }]) => goal !== undefined)
        .map(([name, { goal }]) => {
          const { median } = of(name, 'ratio');
          return [`${name}: at most ${goal} of the three`, median <= goal, median.toFixed(2)];
        }),
      ...['passport-sms-otp', 'passport-sms-otp/client'].map((name) => {
        const { median } = of(name, 'megabytes');
        return [`${name}: at most 15 MB`, median <= 15, median.toFixed(1)];
      }),
    ],
  }),
);
