import { describe, expect, it } from '@jest/globals';
import { type AppUser } from 'passport-sms-otp/testing';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { PRIVATE_KEY } from '../app-checks/support/base-app';
import { readConfig } from '../../src/cli/audit/config';
import { toDescription } from '../../src/cli/audit/description';
import { clean, Printed } from '../../src/cli/audit/printed';
import { closeLater } from '../client/support/cleanup';
import { configOf, FILE, findFreePort } from './support/audit';
import { makeFolder } from './support/files';
import { runCli } from './support/terminal';

const REAL_NUMBER = {
  secrets: [],
  users: [
    { name: 'alice', phone: '+12025550123', password: 'of alice' },
    { name: 'bob', phone: '+13125550277', password: 'of bob' },
  ],
};

describe('the description of a file', () => {
  it('puts the user into paths and fields, and takes any method', async () => {
    const folder = makeFolder();
    const way = { path: '/mail/{name}?to={phone}', method: 'DELETE', fields: { who: '{name}' } };
    const token = { field: 'key', header: 'X-Api-Key' };
    const changed = {
      guarded: ['/account', { path: '/users/{name}', method: 'PUT' }],
      otherWaysIn: [{ requests: [way], token }],
      stepUp: { path: '/step-up', protects: ['/transfer'], waitSeconds: 3 },
    };
    folder.write(FILE, configOf(1, changed));
    const config = await readConfig({ folder: folder.path, env: { PRIVATE_KEY } }, undefined);
    const waited: number[] = [];
    const wait = (ms: number): Promise<void> => Promise.resolve(void waited.push(ms));
    const unused = { start: () => ({ baseUrl: '', close: () => 0 }), wait };
    const described = toDescription(config, {
      ...unused,
      simulator: undefined as unknown as GatewaySimulator,
    });

    const user = { name: 'a/b c', phone: '+12025550123' };
    const [request] = described.otherWaysIn?.[0]?.requests ?? [];
    const pathOf = request?.path as (known: AppUser) => string;
    const fieldsOf = request?.fields as (known: AppUser) => unknown;
    expect(pathOf(user)).toBe('/mail/a%2Fb%20c?to=%2B12025550123');
    expect([request?.method, fieldsOf(user)]).toEqual(['DELETE', { who: 'a/b c' }]);
    expect(described.otherWaysIn?.[0]?.token).toEqual(token);
    expect(described.guarded).toMatchObject([{ path: '/account' }, { method: 'PUT' }]);
    await described.stepUp?.passTime?.();
    expect(waited).toEqual([3_000]);
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
  const USERS = ['ann', 'ben', 'SHOP_PASSWORD'];
  const ANSWERS = ['/sign-in', '/welcome', '/pin', '/home, /orders', '', '/again', 'no', ...USERS];
  const toInput = (answers: readonly string[]): string => `${answers.join('\n')}\n`;

  it('asks, and writes a description that is right as it is', async () => {
    const folder = makeFolder();
    const input = toInput(ANSWERS);
    const asked = await runCli(['audit', '--init'], { folder: folder.path, input });
    expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('takes the password')]);
    expect(JSON.parse(folder.read(FILE))).toEqual({
      users: [
        { name: 'ann', phone: '+12025550123', password: '$SHOP_PASSWORD' },
        { name: 'ben', phone: '+13125550177', password: '$SHOP_PASSWORD' },
      ],
      login: { path: '/sign-in', page: '/welcome' },
      code: { path: '/pin' },
      guarded: ['/home', '/orders'],
      logout: { path: '/logout', page: '/home' },
      resend: { path: '/again', page: '/pin' },
    });
    // The next thing that is missing belongs to a URL.
    const options = { folder: folder.path, env: { SHOP_PASSWORD: 'a password' } };
    const next = await runCli(['audit', 'http://127.0.0.1:1'], options);
    expect([next.code, next.stderr]).toEqual([2, expect.stringContaining('simulator.port')]);
  });

  it.each([
    ['', '/second-factor/'],
    ['/shop/second-factor/code', '/shop/second-factor/'],
  ])('knows the ready-made pages: %j', async (code, pages) => {
    const folder = makeFolder();
    const input = toInput(['', '', code, '/home', '', '', '', ...USERS]);
    await runCli(['audit', '--init'], { folder: folder.path, input });
    const page = `${pages}code`;
    expect(JSON.parse(folder.read(FILE))).toMatchObject({
      login: { path: '/login' },
      code: { path: page },
      resend: { path: `${pages}resend`, page },
      cancel: { path: `${pages}cancel`, page },
      stepUp: { path: `${pages}step-up`, code: { path: page } },
    });
  });

  it('writes no page for an app that takes JSON', async () => {
    const folder = makeFolder();
    const input = toInput(['', '', '', '/api/me', '', '', 'yes', ...USERS]);
    await runCli(['audit', '--init'], { folder: folder.path, input });
    expect(folder.read(FILE)).not.toContain('"page"');
  });

  it('says three times that an answer is required, and ends', async () => {
    const folder = makeFolder();
    const input = '\n'.repeat(20);
    const { code, stderr } = await runCli(['audit', '--init'], { folder: folder.path, input });
    expect(code).toBe(1);
    expect(stderr.match(/An answer is required, such as \/account\./g)).toHaveLength(3);
    expect(stderr).toContain('error  A required question was left blank three times.');
    expect(stderr).not.toContain('Path of the logout');
  });

  it('writes over no file', async () => {
    const folder = makeFolder();
    folder.write(FILE, '{}');
    const input = toInput(ANSWERS);
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
    expect([code, stderr]).toEqual([1, expect.stringContaining('Standard input ended')]);
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
    ['a file that is no JSON', '{\n  "a": 1,\n}', 2, 'is not JSON: line 3 is wrong'],
    [
      'a number that may be real',
      configOf(1, REAL_NUMBER),
      2,
      'users[1].phone is not in a fictional',
    ],
    [
      'a name in place of a user',
      configOf(1, { logInAs: { by: 'root', request: { path: '/as' } } }),
      2,
      'logInAs.by: must be an object with name, phone and password',
    ],
    ['a method that is none', configOf(1, { logout: { path: '/', method: 'post' } }), 2, 'capital'],
    ['an unknown member', configOf(1, { guard: [] }), 2, 'the file has unknown fields: guard'],
    ['one user', configOf(1, { users: [] }), 2, 'users: '],
    [
      'a number without plus',
      configOf(1, { newNumber: { path: '/p', phone: '2025550123' } }),
      2,
      'newNumber.phone: must be a number in E.164',
    ],
    [
      'an address of another site',
      configOf(1, { guarded: ['//bank.example/'] }),
      2,
      'guarded[0].path: must',
    ],
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
    expect([code, stderr]).toEqual([2, expect.stringContaining('--only names an unknown hole')]);
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
