import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInCompleteRun, isCompleteRun } from '../support/complete-run';
import { layOutAlone, layOutConsumer, type Peers } from './packed/lay-out';
import { packInto } from './packed/pack';
import { MODULES } from './packed/repository';
import { runNode } from './packed/run';

const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-consumers-'));
const sources = join(__dirname, 'consumers');

const ALL_PROJECTS: readonly (readonly [string, Peers])[] = [
  [
    'Express 5 and passport 0.7',
    { express: 'express', expressTypes: '@types/express', passport: 'passport' },
  ],
  [
    'Express 4 and passport 0.7',
    { express: 'express4', expressTypes: 'express4-types', passport: 'passport' },
  ],
  [
    'Express 5 and passport 0.6',
    { express: 'express', expressTypes: '@types/express', passport: 'passport06' },
  ],
  [
    'Express 4.16 and passport 0.7',
    { express: 'express416', expressTypes: 'express4-types', passport: 'passport' },
  ],
];

/** One set of peers, and in the complete run the matrix. */
const PROJECTS = isCompleteRun ? ALL_PROJECTS : ALL_PROJECTS.slice(0, 1);

/** Password, wrong code, right code, account: status, place and what the page says. */
const WHOLE_LOGIN = [
  [403],
  [303, '/login/pin'],
  [303, '/login/pin'],
  ['wrong-code'],
  [303, '/account'],
  [200, { id: 'alice' }],
];

function projectOf({ express, passport }: Peers): string {
  return join(directory, `${express}-${passport}`);
}

beforeAll(async () => {
  const tarball = await packInto(directory);
  for (const [, peers] of PROJECTS)
    layOutConsumer(projectOf(peers), tarball.directory, peers, sources);
  layOutAlone(join(directory, 'alone'), tarball.directory, sources);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe.each(PROJECTS)('an application with %s', (_title, peers) => {
  const project = projectOf(peers);

  it.each(['login.cjs', 'login.mjs'])('logs in through %s', async (file) => {
    const { stdout, stderr } = await runNode([file], project);
    expect(stderr.replaceAll(/^.*MemoryStore.*$/gm, '').trim()).toBe('');
    expect(JSON.parse(stdout)).toEqual(WHOLE_LOGIN);
  });
});

describe('an application without otpauth', () => {
  it('can import ./totp, which says what to install when it is used', async () => {
    const script = `
      const { createTotpSecret, totpFactor } = require('passport-sms-otp/totp');
      const secret = 'a secret of the tests, long enough to be one';
      const messages = [];
      try { totpFactor({ secret, findSecret() {}, acceptStep() {} }); } catch ({ message }) { messages.push(message); }
      createTotpSecret({ secret, userId: 'alice', issuer: 'Bank', account: 'alice' })
        .catch(({ message }) => messages.push(message))
        .then(() => console.log(JSON.stringify(messages)));`;
    const { stdout, stderr } = await runNode(['--eval', script], join(directory, 'alone'));
    expect(stderr).toBe('');
    const problem = 'needs the package otpauth, which cannot be loaded: npm install otpauth';
    expect(JSON.parse(stdout)).toEqual([`totpFactor ${problem}`, `createTotpSecret ${problem}`]);
  });
});

describe.each(PROJECTS.slice(0, 2))('a TypeScript application with %s', (_title, peers) => {
  const project = projectOf(peers);
  let lines: readonly string[];

  beforeAll(async () => {
    for (const extension of ['cts', 'mts']) {
      copyFileSync(join(project, 'application.ts'), join(project, `application.${extension}`));
    }
    const compiler = join(MODULES, 'typescript/lib/tsc.js');
    const { stdout } = await runNode([compiler, '--project', project, '--listFiles'], project);
    lines = stdout.split('\n');
  });

  it('compiles as CommonJS and as an ES module, the declarations of all packages checked', () => {
    expect(lines).toContain(join(project, 'application.cts'));
    expect(lines).toContain(join(project, 'application.mts'));
    expect(lines.filter((line) => line.includes('error TS'))).toEqual([]);
  });

  it('sees one version of the types of Express', () => {
    const versions = lines.filter((line) => line.endsWith('/@types/express/index.d.ts'));
    expect(versions).toEqual([join(project, 'node_modules/@types/express/index.d.ts')]);
  });
});

describeInCompleteRun('a strict TypeScript application', () => {
  async function compile(project: string): Promise<readonly string[]> {
    const { stdout } = await runNode(
      [join(MODULES, 'typescript/lib/tsc.js'), '--project', '.', '--listFiles'],
      project,
    );
    return stdout.split('\n');
  }

  it('compiles with the client alone, without the types of Express, its sessions or Passport', async () => {
    const lines = await compile(join(directory, 'alone/client-only'));
    expect(lines.filter((line) => line.includes('error TS'))).toEqual([]);
    expect(lines.filter((line) => /@types\/(?!node\/)/.test(line))).toEqual([]);
    expect(lines.some((line) => line.endsWith('/dist/client/index.d.ts'))).toBe(true);
  });

  it('gets ids of the type that Express.User has, here a number', async () => {
    const [, peers] = PROJECTS[0] ?? [];
    const lines = await compile(join(peers === undefined ? '' : projectOf(peers), 'number-ids'));
    expect(lines.filter((line) => line.includes('error TS'))).toEqual([]);
    expect(lines.some((line) => line.endsWith('/number-ids/ids.ts'))).toBe(true);
  });
});
