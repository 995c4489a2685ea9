import { describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import { HOLES } from 'passport-sms-otp/testing';
import { type Mistake, passwordOf, PRIVATE_KEY, USERS } from '../app-checks/support/base-app';
import { guardWith, isLoggedIn } from '../app-checks/support/hand-made';
import { MISTAKES } from '../app-checks/support/mistakes';
import { auditApp, configOf, FILE, findFreePort, GATEWAY_PASSWORD, only } from './support/audit';
import { makeFolder } from './support/files';
import { jsonOf, runCli } from './support/terminal';

describe('audit of a URL', () => {
  it('reports in Markdown that nothing was found, and ends with 0', async () => {
    const { code, stdout, stderr } = await auditApp({}, only('open-page', 'code-twice'));
    expect([code, stderr]).toEqual([
      0,
      '0 holes, 0 inconclusive, 3 checks passed, 0 not applicable\n',
    ]);
    expect(stdout).toMatch(/^# Audit of the login\n\npassport-sms-otp \d+\.\d+\.\d+, 20\d\d-/);
    expect(stdout).toContain('\n- a code is valid once\n');
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
    // The check with the fewest requests shows it best.
    expect(stdout).toContain('- Check: guarded pages are closed to strangers\n');
    expect(stdout).toContain(`- Page: /settings (also seen in ${found.alsoSeenIn} checks)`);
  });

  it('stops after one login where no message reaches the simulator, and ends with 2', async () => {
    const planted = MISTAKES.find(({ hole }) => hole === 'no-code');
    const { code, stdout, stderr } = await auditApp(planted ?? {}, []);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'The app cannot be audited. No message is sent after the right password.',
    );
    expect(stderr).toMatch(
      /Start the app with http:\/\/127\.0\.0\.1:\d+ as the address of its gateway/,
    );
    expect(stderr.match(/POST \/login \(password/g)).toHaveLength(1);
  });

  it('names the CSRF token where the login is answered with 403', async () => {
    const changed = { guarded: ['/account'], login: { path: '/login', page: '/no-form' } };
    const { code, stderr } = await auditApp({}, [], { changed });
    expect(code).toBe(2);
    expect(stderr).toContain('The login was answered with 403: a CSRF token may be missing.');
    expect(stderr).toContain('login.page');
    expect(stderr).not.toContain('as the address of its gateway');
  });

  it('names the hole where the password alone opens the app and no message goes out', async () => {
    const breaks: Mistake = {
      change: (kit) => {
        const logIn = { successRedirect: '/account', failureRedirect: '/login?wrong' };
        kit.routes.set('POST /login', [
          kit.passport.authenticate('local', logIn) as RequestHandler,
        ]);
        guardWith(kit, isLoggedIn);
      },
    };
    const { code, stdout, stderr } = await auditApp(breaks, []);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^1 holes, \d\d inconclusive, 0 checks/),
    ]);
    expect(stdout).toContain('/account opens, and no message is sent.');
    // All other checks say so, in one section.
    expect(stdout.match(/^### .*/gm)?.map((line) => line.slice(4))).toEqual([
      'open-after-password',
      'a wrong password sends no message',
    ]);
  });

  it('goes on where the app does not answer a check', async () => {
    const breaks: Mistake = {
      change: ({ before }) => {
        before.push((req, _res, next) => {
          if (req.get('user-agent') === 'curl/8.5.0') req.socket.destroy();
          else next();
        });
      },
    };
    const argv = [...only('open-by-accept', 'code-without-password'), '--json'];
    const ended = await auditApp(breaks, argv);
    expect([ended.code, ended.stderr]).toEqual([
      1,
      '0 holes, 1 inconclusive, 1 checks passed, 0 not applicable\n',
    ]);
    expect(jsonOf(ended)).toMatchObject({
      checks: [{ finding: 'The app does not answer (ECONNRESET).' }, { outcome: 'passed' }],
    });
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
