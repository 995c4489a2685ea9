import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { lookUpAll } from '../../src/cli/lookups/lookup-all';
import { closeLater } from '../client/support/cleanup';
import { openAccount, type Account } from './support/account';
import { makeFolder, type Folder } from './support/files';
import { jsonOf, runCli, type Ended, type TerminalOptions } from './support/terminal';

const ARGV = ['lookup', '--in', 'in.csv', '--out', 'out.csv', '--budget', '1', '--yes'];

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
  folder.write('in.csv', `phone\n${rows.join('\n')}\n`);
  const run: Scene['run'] = (options, ...more) =>
    runCli([...ARGV, ...more], { env: account.env, folder: folder.path, ...options });
  return { ...account, folder, run };
}

function rowsOf(folder: Folder): readonly string[] {
  const text = folder.read('out.csv');
  expect(text.endsWith('\n')).toBe(true);
  return text.trim().split('\n').slice(1);
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
    expect(rowsOf(folder)).toHaveLength(done);
    expect(simulator.stats().calls.lookup).toBe(done);
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: left, known: done, left: 0 });
    expect(new Set(rowsOf(folder)).size).toBe(60);
  });
});

describe('a run that was killed', () => {
  it('in the middle of a row: the row is taken away and looked up again', async () => {
    const { run, folder } = await prepare(3);
    await run();
    const whole = folder.read('out.csv');
    folder.write('out.csv', whole.slice(0, -12));
    expect(jsonOf(await run({}, '--json'))).toMatchObject({ done: 1, known: 2 });
    expect(rowsOf(folder).toSorted()).toEqual(whole.trim().split('\n').slice(1).toSorted());
  });
});

describe('the output', () => {
  it('that is something else is left as it is', async () => {
    const { run, folder } = await prepare(1);
    for (const text of ['name,phone\nAnn,1\n', 'phone', '\u0000\u0001']) {
      folder.write('out.csv', text);
      const ended = await run();
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not a list of lookups'),
      });
      expect(folder.read('out.csv')).toBe(text);
    }
  });

  it('that is no file is refused', async () => {
    const { env, folder } = await prepare(1);
    for (const place of ['/dev/zero', '.']) {
      const argv = ['lookup', '--in', 'in.csv', '--out', place, '--budget', '1', '--yes'];
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
    const argv = ['lookup', '--in', 'in.csv', '--out', 'none/out.csv', '--budget', '1', '--yes'];
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
    expect(rowsOf(folder)).toHaveLength(4);
  });

  it.each([1221, 2003, 2005])('%i is about the number: it gets a row', async (code) => {
    const { run, folder, simulator } = await prepare(1);
    simulator.failNext('lookup', { kind: 'error', code });
    expect((await run()).code).toBe(0);
    expect(rowsOf(folder)).toEqual([`+447700900000,,,,,,,,${code}`]);
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
    expect([folder.has('out.csv'), simulator.stats().calls.lookup]).toEqual([false, 0]);
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
  expect(stdout + stderr).not.toMatch(/77009/);
});
