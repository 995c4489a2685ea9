import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { lookUpAll } from '../../src/cli/lookups/lookup-all';
import { closeLater } from '../client/support/cleanup';
import { openAccount, type Account } from './support/account';
import { ROOT } from '../package/packed/repository';
import { until } from '../stores/until';
import { makeFolder, type Folder } from './support/files';
import { jsonOf, runCli, type Ended, type TerminalOptions } from './support/terminal';

const ARGV = ['lookup', '--in', 'in.txt', '--out', 'out.jsonl', '--budget', '1', '--yes'];

interface Scene extends Account {
  readonly folder: Folder;
  readonly run: (options?: TerminalOptions, ...more: readonly string[]) => Promise<Ended>;
}

/** An account, and a file of numbers that are all in the United Kingdom. */
async function prepare(count: number): Promise<Scene> {
  const account = await openAccount();
  const folder = makeFolder();
  const rows = Array.from(
    { length: count },
    (_value, n) => `+4477009${String(n).padStart(5, '0')}`,
  );
  folder.write('in.txt', `${rows.join('\n')}\n`);
  const run: Scene['run'] = (options, ...more) =>
    runCli([...ARGV, ...more], { env: account.env, folder: folder.path, ...options });
  return { ...account, folder, run };
}

function linesOf(folder: Folder): readonly string[] {
  const text = folder.read('out.jsonl');
  expect(text.endsWith('\n')).toBe(true);
  return text.trim().split('\n');
}

describe('Ctrl+C', () => {
  it('leaves a whole file with everything that was paid for, and the next run does the rest', async () => {
    const { run, folder, simulator } = await prepare(60);
    const interruption = new AbortController();
    let turns = 0;
    const wait = (): Promise<void> => {
      turns += 1;
      if (turns === 20) interruption.abort();
      return Promise.resolve();
    };
    const first = await run({ signal: interruption.signal, wait, now: () => 0 }, '--json');
    const { done, left, stop } = jsonOf(first) as { done: number; left: number; stop: string };
    expect([first.code, stop, done + left]).toEqual([1, 'interrupted', 60]);
    expect(done).toBeGreaterThan(5);
    expect(linesOf(folder)).toHaveLength(done);
    expect(simulator.stats().calls.lookup).toBe(done);
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: left, known: done, left: 0 });
    expect(new Set(linesOf(folder)).size).toBe(60);
  });
});

describe('a run that was killed', () => {
  it('by kill -9 is gone on with, and pays twice for no number that has its line', async () => {
    const { run, env, folder, simulator } = await prepare(60);
    simulator.failNext('lookup', { kind: 'latency', ms: 20 }, Infinity);
    const main = join(ROOT, 'src/cli/main.ts');
    const child = spawn(
      process.execPath,
      ['--require', require.resolve('tsx/cjs'), main, ...ARGV, '--rate', '100'],
      { cwd: folder.path, env: { PATH: process.env.PATH, ...env } },
    );
    const closed = once(child, 'close');
    await until(() => folder.has('out.jsonl') && folder.read('out.jsonl').split('\n').length > 10);
    child.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
    const paid = simulator.stats().calls.lookup;
    const known = folder.read('out.jsonl').split('\n').length - 1;
    // At most four were under way.
    expect([known >= 10, known < 60, paid - known <= 4]).toEqual([true, true, true]);
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ known, done: 60 - known, left: 0 });
    expect(simulator.stats().calls.lookup).toBe(paid + 60 - known);
    const phones = linesOf(folder).map((line) => (JSON.parse(line) as { phone: string }).phone);
    expect([phones.length, new Set(phones).size]).toEqual([60, 60]);
  });

  it('in the middle of a line: the line is taken away and looked up again', async () => {
    const { run, folder } = await prepare(3);
    await run();
    const whole = folder.read('out.jsonl');
    folder.write('out.jsonl', whole.slice(0, -12));
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: 1, known: 2 });
    expect(linesOf(folder).toSorted()).toEqual(whole.trim().split('\n').toSorted());
  });
});

describe('the output', () => {
  it('that is something else is left as it is', async () => {
    const { run, folder } = await prepare(1);
    for (const text of [
      ...[
        'name,phone\nAnn,1\n',
        'phone',
        '\u0000\u0001',
        '[]\n',
        '{"phone":7}\n',
        '{"phone":"x"}\n',
      ],
      ...['{"phone":"+447700900000"}\nphone\n', '{"phone":"+447700900000"}\nphone'],
    ]) {
      folder.write('out.jsonl', text);
      const ended = await run();
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not a list of lookups'),
      });
      expect(folder.read('out.jsonl')).toBe(text);
    }
  });

  it('that is no file is refused', async () => {
    const { env, folder } = await prepare(1);
    for (const place of ['/dev/zero', '.']) {
      const argv = ['lookup', '--in', 'in.txt', '--out', place, '--budget', '1', '--yes'];
      const ended = await runCli(argv, { env, folder: folder.path });
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('must be a file') });
    }
  });

  it('that cannot be written any more ends the run: no more than what is under way is paid', async () => {
    const { simulator } = await openAccount();
    const { baseUrl, username, password, variant } = simulator;
    const client = new GatewayClient({ baseUrl, username, password, variant });
    closeLater(() => client.close(0));
    const add = (): void => {
      throw new Error('no space left');
    };
    const run = lookUpAll({
      ...{
        mobiles: Array.from({ length: 50 }, (_value, n) => `+447700900${100 + n}`),
        hlr: client.hlr,
        add,
      },
      ...{ priceOf: () => 6_000, budget: 1_000_000, signal: new AbortController().signal },
      ...{ awaitTurn: () => Promise.resolve(), onProgress: () => undefined },
    });
    await expect(run).rejects.toThrow('no space left');
    expect(simulator.stats().calls.lookup).toBeLessThanOrEqual(4);
  });

  it('that cannot be written is said so', async () => {
    const { run } = await prepare(1);
    const ended = await run({}, '--json');
    expect(ended.code).toBe(0);
    const argv = ['lookup', '--in', 'in.txt', '--out', 'none/out.jsonl', '--budget', '1', '--yes'];
    const { env, folder } = await prepare(1);
    const refused = await runCli(argv, { env, folder: folder.path });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be written (ENOENT)'),
    });
  });
});

describe('failures', () => {
  it('of a moment leave the number for the next run, and count as paid', async () => {
    const { run, folder, simulator } = await prepare(4);
    simulator.failNext('lookup', { kind: 'error', code: 2002 }, 2);
    const first = await run({}, '--json');
    expect(first.code).toBe(1);
    expect(jsonOf(first)).toMatchObject({ done: 2, left: 2, spent: '0.0240', stop: null });
    expect(first.stderr).toContain('2002 Error requesting HLR');
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: 2, known: 2, left: 0 });
    expect(linesOf(folder)).toHaveLength(4);
  });

  it.each([1221, 2003, 2005])('%i is about the number: it gets a line', async (code) => {
    const { run, folder, simulator } = await prepare(1);
    simulator.failNext('lookup', { kind: 'error', code });
    expect((await run()).code).toBe(0);
    const [line = '', ...others] = linesOf(folder);
    const phone = '+447700900000';
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ phone, status: null, cost: null, error: `${code}` });
  });

  it.each([1006, 2004])('%i ends the run at once', async (code) => {
    const { run, simulator } = await prepare(50);
    simulator.failNext('lookup', { kind: 'error', code }, Infinity);
    const ended = await run({}, '--json');
    expect(jsonOf(ended)).toMatchObject({ done: 0, left: 50, stop: 'failures' });
    expect(simulator.stats().calls.lookup).toBeLessThanOrEqual(4);
  });

  it('five in a row end it, too', async () => {
    const { run, simulator } = await prepare(50);
    simulator.failNext('lookup', 'reset', Infinity);
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: 0, left: 50, stop: 'failures' });
    expect(simulator.stats().calls.lookup).toBeLessThanOrEqual(9);
  });

  it('no prices, no budget: nothing is looked up', async () => {
    const { run, folder, simulator } = await prepare(1);
    const payload = { currency: {}, pricing: [] };
    simulator.failNext('hlr-pricing', {
      ...{ kind: 'body', status: 200, body: JSON.stringify({ status_code: 200, payload }) },
    });
    const ended = await run();
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no prices for lookups'),
    });
    expect([folder.has('out.jsonl'), simulator.stats().calls.lookup]).toEqual([false, 0]);
  });
});

it('the rate is kept by waiting', async () => {
  const { run } = await prepare(5);
  const waits: number[] = [];
  const wait = (milliseconds: number): Promise<void> =>
    Promise.resolve(void waits.push(milliseconds));
  await run({ now: () => 1_000, wait }, '--rate', '4');
  expect(waits).toEqual([250, 500, 750, 1_000]);
});

it('a terminal has a line of progress that is removed at the end; other streams have none', async () => {
  const { run } = await prepare(3);
  const { stderr } = await run({ isTerminal: true });
  expect(stderr).toContain('\r\u001b[K3/3  spent 0.0180');
  expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  const dumb = await prepare(3);
  expect((await dumb.run({ isTerminal: true, env: { ...dumb.env, TERM: 'dumb' } })).stderr).toBe(
    '',
  );
  const script = await prepare(3);
  expect((await script.run()).stderr).toBe('');
});

it('a number never stands in what goes wrong with a file', async () => {
  const { run, simulator } = await prepare(2);
  simulator.failNext('lookup', 'html-502', Infinity);
  const { stdout, stderr } = await run({}, '--json');
  expect(stdout + stderr).not.toBe('');
  expect(simulator.stats().calls.lookup).toBeGreaterThan(0);
  expect(stdout + stderr).not.toMatch(/77009/);
});
