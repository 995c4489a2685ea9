import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { HOLES } from 'passport-sms-otp/testing';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import {
  describeBaseApp,
  type Mistake,
  passwordOf,
  PRIVATE_KEY,
  SESSION_COOKIE,
  USERS,
} from '../app-checks/support/base-app';
import { MISTAKES } from '../app-checks/support/mistakes';
import { clean, Printed } from '../../src/cli/audit/printed';
import { closeLater } from '../client/support/cleanup';
import { ROOT } from '../package/packed/repository';
import { makeFolder, type Folder } from './support/files';
import { type Ended, jsonOf, runCli, type TerminalOptions } from './support/terminal';

const FILE = 'passport-sms-otp.audit.json';
const REAL_NUMBER = {
  secrets: [],
  users: [
    { name: 'alice', phone: '+12025550123', password: 'of alice' },
    { name: 'bob', phone: '+13125550277', password: 'of bob' },
  ],
};
const GATEWAY_PASSWORD = 'pass-phrase-of-the-gateway';

/** A port that nothing listens on. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What describes the base app in a file. */
function configOf(port: number, changed: object = {}): string {
  return JSON.stringify({
    users: USERS.map(({ name, phone }) => ({ name, phone, password: passwordOf(name) })),
    login: { path: '/login' },
    code: { path: '/login/pin' },
    guarded: ['/account', '/settings', { path: '/transfer', method: 'POST', page: '/account' }],
    sessionCookie: SESSION_COOKIE,
    proxy: { hops: 1, https: true },
    secrets: ['$PRIVATE_KEY'],
    logout: { path: '/logout', page: '/account' },
    logInAs: {
      by: { name: 'root', phone: '+16175550199', password: passwordOf('root') },
      request: { path: '/log-in-as', page: '/account', fields: { username: '{name}' } },
    },
    simulator: { port, password: GATEWAY_PASSWORD },
    ...changed,
  });
}

interface Audited extends Ended {
  readonly folder: Folder;
}

/** Audits the base app, which runs with the simulator's address as its gateway. */
async function auditApp(
  mistake: Mistake,
  argv: readonly string[],
  { changed = {}, ...options }: TerminalOptions & { readonly changed?: object } = {},
): Promise<Audited> {
  const port = await findFreePort();
  const client = new GatewayClient({
    baseUrl: `http://127.0.0.1:${port}`,
    variant: 'A',
    username: 'demo',
    password: GATEWAY_PASSWORD,
  });
  closeLater(() => client.close());
  // The app uses the client alone: the simulator is that of the command.
  const gateway = { client, simulator: undefined as unknown as GatewaySimulator };
  const { baseUrl, close } = await describeBaseApp(gateway, mistake).start();
  closeLater(async () => {
    await close();
  });
  const folder = makeFolder();
  folder.write(FILE, configOf(port, changed));
  const env = { PRIVATE_KEY };
  const ended = await runCli(['audit', baseUrl, ...argv], { folder: folder.path, env, ...options });
  return { ...ended, folder };
}

const only = (...holes: string[]): string[] => holes.flatMap((hole) => ['--only', hole]);

describe('audit of a URL', () => {
  it('reports in Markdown that nothing was found, and ends with 0', async () => {
    const { code, stdout, stderr } = await auditApp({}, only('open-page', 'code-twice'));
    expect([code, stderr]).toEqual([
      0,
      '0 holes, 0 inconclusive, 3 checks passed, 0 not applicable\n',
    ]);
    expect(stdout).toMatch(/^# Audit of the login\n\npassport-sms-otp \d+\.\d+\.\d+, 20\d\d-/);
    expect(stdout).toContain('\n- a code is good once\n');
    expect(stdout).toContain('| 0 | 0 | 3 | 0 |');
  });

  it('names a hole, what was done, what came back and the page, and ends with 1', async () => {
    const planted = MISTAKES.find(({ hole }) => hole === 'open-after-logout');
    const argv = [...only('open-after-logout'), '--out', 'report', '--json'];
    const ended = await auditApp(planted ?? {}, argv);
    expect(ended.code).toBe(1);
    const report = {
      isFine: false,
      counts: { passed: 0, hole: 1, inconclusive: 0, 'not-applicable': 0 },
      checks: [
        {
          title: 'a logout closes the guarded pages',
          outcome: 'hole',
          hole: 'open-after-logout',
          finding: '/account opens after the logout. Open, too: /settings, POST /transfer.',
          done: expect.arrayContaining([
            'browser 1: POST /logout (logout of user 1) -> 303 to /login',
            'browser 1: GET /account -> 200',
          ]),
          page: HOLES['open-after-logout'].page,
        },
      ],
    };
    expect(jsonOf(ended)).toMatchObject(report);
    expect(JSON.parse(ended.folder.read('report.json'))).toEqual(jsonOf(ended));
    const markdown = ended.folder.read('report.md');
    expect(markdown).toContain('## Holes\n\n### open-after-logout\n');
    expect(markdown).toContain('browser 1: POST /logout (logout of user 1) -> 303 to /login\n');
    expect(markdown).toContain(`- How to fix it: ${HOLES['open-after-logout'].page}\n`);
  });

  it('says what is inconclusive and what is not applicable, and neither is a pass', async () => {
    const changed = {
      guarded: ['/account', { path: '/settings', shows: 'a text that is not there' }],
    };
    const argv = [...only('no-code', 'code-after-cancel'), '--json'];
    const ended = await auditApp({}, argv, { changed });
    expect(ended.code).toBe(1);
    expect(jsonOf(ended)).toMatchObject({
      isFine: false,
      counts: { passed: 0, hole: 0, inconclusive: 1, 'not-applicable': 1 },
      checks: [
        {
          outcome: 'inconclusive',
          finding: '/settings: closed after the right code, and left out',
          page: expect.stringMatching(/^docs\/.*#when-a-check-is/),
        },
        { outcome: 'not-applicable', reason: 'the description has no cancel' },
      ],
    });
  });

  it('drops a page that stays closed, and judges the others', async () => {
    const changed = { guarded: ['/account', { path: '/settings', shows: 'not there' }] };
    const { code, stderr } = await auditApp({}, only('open-after-password'), { changed });
    expect([code, stderr]).toEqual([
      1,
      '0 holes, 1 inconclusive, 1 checks passed, 0 not applicable\n',
    ]);
  });

  it('counts a missing guard once, however many checks see it', async () => {
    const planted = MISTAKES.find(({ hole }) => hole === 'open-page');
    const argv = [
      ...only('open-page', 'open-after-password', 'code-without-password'),
      '--out',
      'r',
    ];
    const { code, stdout, folder } = await auditApp(planted ?? {}, argv);
    expect(code).toBe(1);
    const report = JSON.parse(folder.read('r.json'));
    expect(report.counts.hole).toBe(1);
    const [found] = report.holes;
    expect(found.pages).toEqual([{ page: '/settings', alsoSeenIn: found.alsoSeenIn }]);
    expect(found.alsoSeenIn).toBeGreaterThanOrEqual(2);
    expect(stdout.match(/^### /gm)).toHaveLength(1);
    expect(stdout).toContain(`- Page: /settings (also seen in ${found.alsoSeenIn} checks)`);
  });

  it('stops after one login where no message reaches the simulator, and ends with 2', async () => {
    const planted = MISTAKES.find(({ hole }) => hole === 'no-code');
    const { code, stdout, stderr } = await auditApp(planted ?? {}, []);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'The app cannot be judged. No text goes out after the right password.',
    );
    expect(stderr).toMatch(
      /Start the app with http:\/\/127\.0\.0\.1:\d+ as the address of its gateway/,
    );
    expect(stderr.match(/POST \/login \(password/g)).toHaveLength(1);
  });

  it('shows no password, number, name, secret or code in any output', async () => {
    const planted = MISTAKES.filter(({ hole }) => hole === 'secret-in-answer');
    const argv = [...only('secret-in-answer', 'code-in-answer', 'no-code'), '--out', 'report'];
    const { code, stdout, stderr, folder } = await auditApp(planted[0] ?? {}, argv);
    expect(code).toBe(1);
    const people = USERS.flatMap(({ name, phone }) => [`"${name}`, ` ${name}`, phone]);
    const secrets = [
      ...people,
      PRIVATE_KEY,
      GATEWAY_PASSWORD,
      ...USERS.map(({ name }) => passwordOf(name)),
    ];
    const outputs = [stdout, stderr, folder.read('report.md'), folder.read('report.json')];
    for (const output of outputs) {
      expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
      expect(output).not.toMatch(/(?<![\d.])\d{6}(?![\d.])/);
    }
  });

  it('shows no name, number or token that stands in an address', async () => {
    const [alice] = USERS;
    const token = 'abcdefghijklmnopqrstuvwxyz';
    const changed = {
      guarded: [`/login/../users/alice/${alice?.phone}/${token}?key=1`, '/login'],
    };
    const ended = await auditApp({}, only('open-page', 'no-code'), { changed });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('GET /login -> 200');
    expect(ended.stdout).toContain('/login/../users/{user}/{user}/…');
    for (const hidden of ['alice', String(alice?.phone), token, 'key='])
      expect(ended.stdout).not.toContain(hidden);
  });

  it('ends with 2 where nothing answers', async () => {
    const folder = makeFolder();
    folder.write(FILE, configOf(await findFreePort()));
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const env = { PRIVATE_KEY };
    const { code, stderr } = await runCli(['audit', url], { folder: folder.path, env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not answer (ECONNREFUSED)')]);
  });

  it('asks nothing more after Ctrl+C', async () => {
    const interruption = new AbortController();
    interruption.abort();
    const { signal } = interruption;
    const { code, stdout, stderr } = await auditApp({}, [], { signal });
    expect([code, stdout, stderr]).toEqual([1, '', 'Interrupted.\n']);
  });
});

describe('audit of a module', () => {
  const MODULE = 'test/cli/support/audited-app.ts';
  const env = { PATH: process.env.PATH, TEST_PASSWORD: 'a password of the tests' };

  function writeConfig(start: object): Folder {
    const folder = makeFolder();
    const user = { password: '$TEST_PASSWORD' };
    const config = {
      users: [
        { ...user, name: 'alice', phone: '+12025550123' },
        { ...user, name: 'bob', phone: '+13125550177' },
      ],
      jsonForms: true,
      login: { path: '/login' },
      code: { path: '/login/pin' },
      guarded: ['/account'],
      start: {
        arguments: ['--import', 'tsx'],
        gatewayVariables: { baseUrl: 'GATEWAY_URL' },
        ...start,
      },
    };
    folder.write(FILE, JSON.stringify(config));
    return folder;
  }

  async function auditModule(
    start: object,
    module = MODULE,
    holes: readonly string[] = ['open-by-accept'],
  ): Promise<Ended> {
    const config = `${writeConfig(start).path}/${FILE}`;
    const argv = ['audit', module, '--config', config, '--json', ...only(...holes)];
    const wait = async (ms: number): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, ms));
    return runCli(argv, { folder: ROOT, env, wait });
  }

  it('starts it with the address of the simulator and a port, and ends it', async () => {
    const ended = await auditModule({});
    expect(ended.stderr).toBe('0 holes, 0 inconclusive, 1 checks passed, 0 not applicable\n');
    expect(ended.code).toBe(0);
  });

  it('gives it the variables of the file', async () => {
    const ended = await auditModule({ environment: { FORGETS_GUARD: '1' } });
    expect(ended.code).toBe(1);
    expect(jsonOf(ended)).toMatchObject({ checks: [{ outcome: 'hole', hole: 'open-page' }] });
  });

  it('says so when it ends before it listens, with what it has printed but for secrets', async () => {
    const folder = makeFolder();
    folder.write(
      'app.cjs',
      `console.error('first'); console.error('the key is missing: ' + process.env.TEST_PASSWORD);
      console.log('to +1 (202) 555-0123'); process.exit(3);`,
    );
    const ended = await auditModule({ arguments: [] }, `${folder.path}/app.cjs`);
    expect(ended.code).toBe(2);
    const { error } = jsonOf(ended) as { error: { message: string; advice: string } };
    expect(error.message).toBe('The app ended before it listened.');
    expect(error.advice).toContain('  the key is missing: [hidden]');
    expect(error.advice).toContain('  to [hidden]');
    expect(ended.stdout + ended.stderr).not.toMatch(/a password of the tests|555/);
  });

  it('shows the last 40 lines of the app beside a 5xx, without a secret of the run', async () => {
    const environment = { FAILS_AT_CODE: '1' };
    const ended = await auditModule({ environment }, MODULE, ['code-in-answer']);
    expect(ended.code).toBe(2);
    const { error } = jsonOf(ended) as { error: { message: string; advice: string } };
    expect(error.message).toContain('closed after the right code');
    const printed = error.advice.slice(error.advice.indexOf('What the app printed last:'));
    expect(printed).toContain('  The code [hidden] of [hidden] failed');
    expect(printed).toContain('  cookie connect.sid=[hidden]');
    expect(printed).toContain('  Authorization: Bearer [hidden]');
    expect(printed.trimEnd().split('\n').length).toBeLessThanOrEqual(41);
    expect(ended.stdout).not.toMatch(/(?<![\d.:])\d{6}(?![\d.])/);
  });

  it('sends one message at most where the app has another gateway, and names the variable', async () => {
    const provider = await GatewaySimulator.start();
    closeLater(() => provider.close());
    const environment = {
      OWN_GATEWAY: provider.baseUrl,
      SMS_OTP_USERNAME: provider.username,
      SMS_OTP_PASSWORD: provider.password,
    };
    const ended = await auditModule({ environment }, MODULE, ['tells-user-names']);
    expect(ended.code).toBe(2);
    expect(jsonOf(ended)).toMatchObject({
      error: { advice: expect.stringContaining('from the variable GATEWAY_URL') },
    });
    expect(provider.outbox).toHaveLength(1);
  });

  it('refuses a port on which another program listens, and sends it nothing', async () => {
    let requests = 0;
    const other = createHttpServer((_req, res) => {
      requests += 1;
      res.end();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    closeLater(() => new Promise((resolve) => other.close(() => resolve())));
    const { port } = other.address() as AddressInfo;
    const ended = await auditModule({ port });
    expect(ended.code).toBe(2);
    expect(jsonOf(ended)).toMatchObject({
      error: { message: `Port ${port} is in use: another program would be attacked.` },
    });
    expect(requests).toBe(0);
  });
});

describe('the output of an app', () => {
  const SECRETS = {
    texts: ['p&ss "word" é', 'a:b'],
    phones: ['+12025550123'],
    codes: ['004711'],
  };

  it.each([
    ['p&ss "word" é', '[hidden]'],
    ['?password=p%26ss%20%22word%22%20%C3%A9&a=1', '?password=[hidden]&a=1'],
    ['password=p%26ss+%22word%22+%C3%A9', 'password=[hidden]'],
    ['{"password":"p&ss \\"word\\" é"}', '{"password":"[hidden]"}'],
    [`Basic ${Buffer.from('p&ss "word" é').toString('base64')}`, 'Basic [hidden]'],
    ['to 12025550123.', 'to [hidden].'],
    ['to +1 202-555-0123', 'to [hidden]'],
    ['to (202) 555 0123', 'to [hidden]'],
    ['pin: 004711, not 10047112', 'pin: [hidden], not 10047112'],
    ['postgres://app:geheim@localhost/shop', 'postgres://[hidden]@localhost/shop'],
    ['connect.sid=s%3A8Hq2vJkT0bYxZ1rWc3LmNp.abc', 'connect.sid=[hidden]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', '[hidden]'],
    ['    at check (/app/node_modules/passport-local/lib/strategy.js:77:10)', null],
    ['ERR_NO_FIRST_FACTOR (see docs/troubleshooting.md#err_no_first_factor)', null],
  ])('%s', (text, shown) => {
    expect(clean(text, SECRETS)).toBe(shown ?? text);
  });

  it('is kept from the last 40 lines, and no line begins in the middle', () => {
    const printed = new Printed();
    for (let line = 1; line <= 20_000; line += 1) printed.add(`line ${line}\n`);
    const lines = printed.lines({ texts: [], phones: [], codes: [] });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([40, 'line 19961', 'line 20000']);
  });
});

describe('audit --init', () => {
  const ANSWERS = [
    '/sign-in',
    '',
    '/home, /orders',
    '',
    '/again',
    'no',
    'ann',
    'ben',
    'SHOP_PASSWORD',
  ];

  it('asks, and writes a description that is right as it is', async () => {
    const folder = makeFolder();
    const input = `${ANSWERS.join('\n')}\n`;
    const asked = await runCli(['audit', '--init'], { folder: folder.path, input });
    expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('takes the password')]);
    expect(JSON.parse(folder.read(FILE))).toEqual({
      users: [
        { name: 'ann', phone: '+12025550123', password: '$SHOP_PASSWORD' },
        { name: 'ben', phone: '+13125550177', password: '$SHOP_PASSWORD' },
      ],
      login: { path: '/sign-in' },
      code: { path: '/login/pin' },
      guarded: ['/home', '/orders'],
      logout: { path: '/logout', page: '/home' },
      resend: { path: '/again', page: '/login/pin' },
    });
    // The next thing that is missing belongs to a URL.
    const options = { folder: folder.path, env: { SHOP_PASSWORD: 'a password' } };
    const next = await runCli(['audit', 'http://127.0.0.1:1'], options);
    expect([next.code, next.stderr]).toEqual([2, expect.stringContaining('simulator.port')]);
  });

  it('writes over no file', async () => {
    const folder = makeFolder();
    folder.write(FILE, '{}');
    const input = `${ANSWERS.join('\n')}\n`;
    const { code, stderr } = await runCli(['audit', '--init'], { folder: folder.path, input });
    expect([code, stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
    expect(folder.read(FILE)).toBe('{}');
  });

  it('ends where the answers end', async () => {
    const folder = makeFolder();
    const { code, stderr } = await runCli(['audit', '--init'], {
      folder: folder.path,
      input: '/a\n',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The answers ended')]);
  });
});

describe('audit refuses', () => {
  it.each([
    'http://bank.example',
    'https://127.0.0.1:3000',
    'http://127.0.0.1.bank.example/',
    'http://10.0.0.5:3000',
    'http://[::ffff:10.0.0.5]/',
    'ftp://127.0.0.1/',
  ])('to attack %s', async (url) => {
    const folder = makeFolder();
    folder.write(FILE, configOf(4010));
    const { code, stderr } = await runCli(['audit', url], { folder: folder.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Only an app on this machine')]);
  });

  it.each([
    ['a file that is not there', null, 2, `There is no ${FILE} in this folder`],
    ['a file that is no JSON', '{\n  "a": 1,\n}', 2, 'is not JSON: the error is in line 3'],
    [
      'a number that may be real',
      configOf(1, REAL_NUMBER),
      2,
      'users.1.phone is not in a fictional',
    ],
    [
      'a name in place of a user',
      configOf(1, { logInAs: { by: 'root', request: { path: '/as' } } }),
      2,
      'logInAs.by: must be an object with name, phone and password',
    ],
    ['a method that is none', configOf(1, { logout: { path: '/', method: 'post' } }), 2, 'capital'],
    ['an unknown member', configOf(1, { guard: [] }), 2, 'the file has unknown members: guard'],
    ['one user', configOf(1, { users: [] }), 2, 'users: '],
    [
      'a number without plus',
      configOf(1, { newNumber: { path: '/p', phone: '2025550123' } }),
      2,
      'newNumber.phone: must be a number in E.164',
    ],
    ['an address of another site', configOf(1, { guarded: ['//bank.example/'] }), 2, 'guarded.0'],
    ['a variable that is not set', configOf(1, { secrets: ['$NOT_SET'] }), 2, 'NOT_SET is not set'],
    [
      'a URL without the port of the simulator',
      configOf(1, { simulator: {}, secrets: [] }),
      2,
      'simulator.port',
    ],
  ])('%s', async (_title, text, exitCode, message) => {
    const folder = makeFolder();
    if (text !== null) folder.write(FILE, text);
    const { code, stderr } = await runCli(['audit', 'http://127.0.0.1:1'], { folder: folder.path });
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });

  it('no number with --real-numbers', async () => {
    const folder = makeFolder();
    folder.write(FILE, configOf(1, { ...REAL_NUMBER, simulator: {}, secrets: [] }));
    const argv = ['audit', 'http://127.0.0.1:1', '--real-numbers'];
    const { stderr } = await runCli(argv, { folder: folder.path });
    expect(stderr).toContain('simulator.port');
  });

  it('to run without an app', async () => {
    const { code, stderr } = await runCli(['audit'], { folder: makeFolder().path });
    expect([code, stderr]).toEqual([2, expect.stringContaining('audit needs <app>')]);
  });

  it('a file of --config that is not there, without repeating its name', async () => {
    const argv = ['audit', 'http://127.0.0.1:1', '--config', 'secret-name.json'];
    const { code, stderr } = await runCli(argv, { folder: makeFolder().path });
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be read (ENOENT)')]);
    expect(stderr).not.toContain('secret-name');
  });

  it('an unknown hole, without repeating it', async () => {
    const folder = makeFolder();
    folder.write(FILE, configOf(await findFreePort(), { secrets: [] }));
    const argv = ['audit', 'http://127.0.0.1:1', '--only', 'a-hole'];
    const { code, stderr } = await runCli(argv, { folder: folder.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--only has an unknown hole')]);
    expect(stderr).not.toContain('a-hole');
  });

  it('a port of the simulator that is in use', async () => {
    const simulator = await GatewaySimulator.start();
    closeLater(() => simulator.close());
    const folder = makeFolder();
    folder.write(FILE, configOf(Number(new URL(simulator.baseUrl).port), { secrets: [] }));
    const { code, stderr } = await runCli(['audit', 'http://127.0.0.1:1'], { folder: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The port of the simulator')]);
  });
});
