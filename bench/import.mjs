// What loading costs, on top of an app that has express, express-session and passport already.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { interleave, show, summarize } from './lib/measure.mjs';

const require = createRequire(import.meta.url);
const HOST = "require('express'); require('express-session'); require('passport');";
const MAKE = `createSmsOtp({
  gateway: { baseUrl: 'https://gateway.example.com', variant: 'A', username: 'u', password: 'p' },
  allowedCountries: ['US'],
  getPhone: () => null,
  loadUser: () => null,
});`;
const subjects = {
  'express + express-session + passport': ['', HOST],
  'passport-sms-otp': [HOST, "require('../dist/index.js');"],
  'passport-sms-otp and createSmsOtp': [
    HOST,
    `const { createSmsOtp } = require('../dist/index.js'); ${MAKE}`,
  ],
  'passport-sms-otp/client': [HOST, "require('../dist/client/index.js');"],
  'valibot alone': [HOST, "require('valibot');"],
  'zod alone': [HOST, `require('${require.resolve('zod')}');`],
  'zod/mini alone': [HOST, `require('${require.resolve('zod/mini')}');`],
  twilio: [HOST, "require('twilio');"],
  'better-auth': [HOST, "await import('better-auth'); await import('better-auth/plugins');"],
};

/** Milliseconds, and megabytes of the whole process, that the second part adds to the first. */
function measure([before, code]) {
  const script = `(async () => {
    ${before}
    const memory = process.memoryUsage().rss;
    const startedAt = performance.now();
    ${code}
    console.log(JSON.stringify({ ms: performance.now() - startedAt, megabytes: (process.memoryUsage().rss - memory) / 2 ** 20 }));
    process.exit(0);
  })()`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const figures = await interleave(subjects, 9, (subject) => Promise.resolve(measure(subject)));
const host = figures['express + express-session + passport'];
const toHost = (name) => summarize(figures[name].map(({ ms }, index) => ms / host[index].ms));
const memoryOf = (name) => summarize(figures[name].map(({ megabytes }) => megabytes));

const OURS = ['passport-sms-otp', 'passport-sms-otp/client'];
process.stdout.write(
  JSON.stringify({
    title: 'Import',
    columns: ['package', 'ms', 'time / the three together', 'MB'],
    rows: Object.keys(subjects).map((name) => [
      name,
      show(summarize(figures[name].map(({ ms }) => ms)), 0),
      show(toHost(name)),
      show(memoryOf(name), 1),
    ]),
    goals: OURS.flatMap((name) => [
      [`${name}: at most 0.75 of the three`, toHost(name).median <= 0.75, toHost(name).median.toFixed(2)],
      [`${name}: at most 15 MB`, memoryOf(name).median <= 15, memoryOf(name).median.toFixed(1)],
    ]),
  }),
);
