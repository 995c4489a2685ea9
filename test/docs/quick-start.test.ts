import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SentMessage } from 'passport-sms-otp/simulator';
import request from 'supertest';
import ts from 'typescript';
import { wrongCode } from '../support/visit';
import { readBlocks } from './support/blocks';
import { readOptions } from './support/compile';
import { readPage } from './support/pages';
import { makeDirectory, start, type Running } from './support/run';

const blocks = readBlocks(readPage('docs/quick-start.md'));
const file = blocks.find(({ notes }) => notes.includes('named: app.mjs'));
const directory = makeDirectory();

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each([
  ['with the simulator as gateway', {}],
  ['with GATEWAY=sms', { GATEWAY: 'sms' }],
])('the app of the quick start %s', (_title, environment) => {
  let program: Running;
  let appUrl: string;
  let textsUrl: string;

  // For each test its own: a second login of the same user waits for the gap.
  beforeEach(async () => {
    program = start(directory, 'app.mjs', file?.code ?? '', environment);
    const [, app = '', texts = ''] = await program.waitFor(/The app: +(\S+)\/\nThe texts: (\S+)\n/);
    [appUrl, textsUrl] = [app, texts];
  });

  afterEach(async () => {
    program.stop();
    await program.ended;
  });

  async function newestText(): Promise<string> {
    const answer = await fetch(`${textsUrl}/messages`);
    // What the simulator's page reads, too.
    const messages = (await answer.json()) as SentMessage[];
    return messages.at(-1)?.text ?? '';
  }

  it('lets in who knows the password and the code', async () => {
    const visitor = request.agent(appUrl);
    const password = await visitor
      .post('/login')
      .type('form')
      .send({ username: 'alice', password: 'demo-password' });
    expect(password.get('Location')).toBe('/login/pin');
    expect((await visitor.get('/')).get('Location')).toBe('/login');
    expect((await visitor.get('/login/pin')).text).toContain('We sent a code to');
    const [pin] = /\d{6}/.exec(await newestText()) ?? [];
    const code = await visitor.post('/login/pin').type('form').send({ pin });
    expect(code.get('Location')).toBe('/');
    expect((await visitor.get('/')).text).toContain('Hello alice.');
    const logout = await visitor.post('/logout');
    expect(logout.get('Location')).toBe('/login');
    expect((await visitor.get('/')).status).toBe(303);
  });

  it('refuses the right code after five wrong ones', async () => {
    const visitor = request.agent(appUrl);
    const credentials = { username: 'alice', password: 'demo-password' };
    await visitor.post('/login').type('form').send(credentials);
    const [pin = ''] = /\d{6}/.exec(await newestText()) ?? [];
    const wrong = wrongCode(pin);
    for (const attempt of [wrong, wrong, wrong, wrong, wrong, pin]) {
      const answer = await visitor.post('/login/pin').type('form').send({ pin: attempt });
      expect(answer.get('Location')).toBe('/login/pin');
    }
    expect((await visitor.get('/')).get('Location')).toBe('/login');
  });

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

  it('turns away who does not', async () => {
    const visitor = request.agent(appUrl);
    const answer = await visitor
      .post('/login')
      .type('form')
      .send({ username: 'alice', password: 'x' });
    expect(answer.get('Location')).toBe('/login?wrong');
    expect((await visitor.get('/login?wrong')).text).toContain('Wrong user name or password.');
    expect((await visitor.get('/login')).text).not.toContain('Wrong');
    expect((await visitor.get('/login/pin')).get('Location')).toBe('/login');
    expect(
      (await visitor.post('/login/pin').type('form').send({ pin: '000000' })).get('Location'),
    ).toBe('/login/pin');
    expect((await visitor.get('/')).get('Location')).toBe('/login');
  });
});
