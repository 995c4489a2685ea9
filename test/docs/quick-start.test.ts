import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SentMessage } from 'passport-sms-otp/simulator';
import request from 'supertest';
import ts from 'typescript';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import { findFreePort } from '../services/service';
import { useServer } from '../services/use-service';
import { wrongCode } from '../support/visit';
import { readBlocks } from './support/blocks';
import { readOptions } from './support/compile';
import { readPage } from './support/pages';
import { makeDirectory, start, type Running } from './support/run';

const blocks = readBlocks(readPage('docs/quick-start.md'));
const file = blocks.find(({ notes }) => notes.includes('named: app.mjs'));
const directory = makeDirectory();

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const login = { username: 'alice', password: 'demo-password' };

describe('the app of the quick start', () => {
  addTests(() => ({}));
});

describeWithService('redis')('the app of the quick start with Redis', () => {
  const server = useServer(startRedis);
  addTests(() => ({ REDIS_URL: `redis://127.0.0.1:${server.port}` }));
});

function addTests(readEnvironment: () => NodeJS.ProcessEnv): void {
  let program: Running;
  let appUrl: string;
  let inboxUrl: string;

  // For each test its own: a second login of the same user waits for the gap.
  beforeEach(async () => {
    const env = { ...readEnvironment(), PORT: String(await findFreePort()) };
    program = start(directory, 'app.mjs', file?.code ?? '', env);
    const [, app = '', inbox = ''] = await program.waitFor(/The app: (\S+)\/\nThe inbox: (\S+)\n/);
    [appUrl, inboxUrl] = [app, inbox];
  });

  afterEach(async () => {
    program.stop();
    await program.ended;
  });

  async function readCode(): Promise<string> {
    const answer = await fetch(`${inboxUrl}/messages`);
    // What the simulator's page reads, too.
    const messages = (await answer.json()) as SentMessage[];
    return /\d{6}/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '';
  }

  it('lets in who knows the password and the code, and makes recovery codes', async () => {
    const visitor = request.agent(appUrl);
    const submit = async (path: string, body: object = {}): Promise<request.Response> =>
      visitor.post(path).type('form').send(body);
    expect((await submit('/login', login)).get('Location')).toBe('/second-factor/code');
    expect((await visitor.get('/')).get('Location')).toBe('/second-factor/code');
    expect((await visitor.get('/second-factor/code')).text).toContain('Enter your code');
    const code = await submit('/second-factor/code', { pin: await readCode() });
    expect(code.get('Location')).toBe('/');
    expect((await visitor.get('/')).text).toContain('Hello alice.');
    expect((await visitor.get('/second-factor/settings')).text).toContain('Recovery codes');
    const { text } = await visitor.get('/second-factor/recovery-codes');
    const [, form = ''] = /name="form" value="([^"]+)"/.exec(text) ?? [];
    const made = await submit('/second-factor/recovery-codes', { form });
    expect(made.text.match(/<code>/g)).toHaveLength(10);
    expect((await submit('/logout')).get('Location')).toBe('/login');
    expect((await visitor.get('/')).get('Location')).toBe('/login');
  });

  it('refuses the right code after five wrong ones', async () => {
    const visitor = request.agent(appUrl);
    await visitor.post('/login').type('form').send(login);
    const pin = await readCode();
    const wrong = wrongCode(pin);
    for (const attempt of [wrong, wrong, wrong, wrong, wrong, pin]) {
      const answer = await visitor.post('/second-factor/code').type('form').send({ pin: attempt });
      expect(answer.get('Location')).toBe('/second-factor/code');
    }
    expect((await visitor.get('/')).get('Location')).not.toBeNull();
  });

  it('turns away who does not', async () => {
    const visitor = request.agent(appUrl);
    const answer = await visitor
      .post('/login')
      .type('form')
      .send({ ...login, password: 'x' });
    expect(answer.get('Location')).toBe('/login');
    expect((await visitor.get('/login')).text).toContain('Wrong user name or password.');
    expect((await visitor.get('/login')).text).not.toContain('Wrong');
    expect((await visitor.get('/second-factor/code')).text).toContain('href="/login"');
    expect((await visitor.get('/')).get('Location')).toBe('/login');
  });
}

describe('the listing of the quick start', () => {
  it('is strict TypeScript, too, with the declaration of the user that the page shows', () => {
    const declaration = blocks.find(({ code }) => code.includes('declare global'))?.code;
    expect(declaration).toBeDefined();
    const path = join(directory, 'app.mts');
    writeFileSync(path, `${file?.code}\n${declaration}`);
    const program = ts.createProgram([path], readOptions());
    const source = program.getSourceFile(path);
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    expect(source).toBeDefined();
    expect(
      found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
    ).toEqual([]);
  });
});
