import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AppCheck, HoleName, RunningApp } from 'passport-sms-otp/testing';
import { GatewaySimulator } from '../../simulator';
import { readFields } from '../../errors';
import {
  type AuditConfig,
  CONFIG_FILE,
  listSecrets,
  readConfig,
  toDescription,
} from '../audit/config';
import { createReport, type Finding, redact, type Report, toMarkdown } from '../audit/report';
import { startApp } from '../audit/start-app';
import {
  type Command,
  type CommandCall,
  JSON_OPTION,
  readVersion,
  toFileFailure,
  toJson,
} from '../command';
import { CommandFailure, WrongUsage } from '../failures';

type Testing = Readonly<Awaited<ReturnType<typeof loadTesting>>>;

export const audit: Command = {
  name: 'audit',
  summary: 'attack your own app on this machine, and report its holes',
  positionals: ['<app>'],
  options: {
    config: { value: '<file>', help: `what the app is like; default: ${CONFIG_FILE}` },
    out: { value: '<name>', help: 'write the report to <name>.md and <name>.json' },
    only: { value: '<hole>', help: 'look for this hole alone', isRepeatable: true },
    ...JSON_OPTION,
  },
  notes: [
    'The app is a module, which is started for each check with a simulator as its gateway,',
    '  or the URL of an app that runs.',
    'Only loopback addresses are attacked.',
    'docs/test-your-own-app.md describes the file of --config.',
  ],
  async run(call) {
    const testing = await loadTesting();
    const target = readTarget(call, testing);
    const config = await readConfig(call.io, call.args.text('config'));
    if (target.url !== null && config.simulator.port === undefined)
      throw new WrongUsage(
        'With a URL the configuration names the port of the simulator: simulator.port',
        "Start the app with http://127.0.0.1:<port> as its gateway's address.",
      );

    const simulator = await startSimulator(config);
    try {
      const checks = readChecks(call, testing, config, simulator, target);
      const findings = await runChecks(call, testing, checks);

      const report = createReport(findings, { now: call.io.now(), version: readVersion() });
      const secrets = [...listSecrets(config), simulator.password];
      await show(call, report, testing, secrets);
      return report.isFine ? 0 : 1;
    } finally {
      await simulator.close();
    }
  },
};

/** Loaded by this command alone. */
async function loadTesting() {
  return import('passport-sms-otp/testing');
}

/** Which app is attacked. */
interface Target {
  readonly module: string;
  /** Null for a module. */
  readonly url: string | null;
}

function readTarget(call: CommandCall, testing: Testing): Target {
  const [given = ''] = call.args.positionals;
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(given)) return { module: given, url: null };
  if (testing.isLoopbackUrl(given)) return { module: '', url: given };
  throw new WrongUsage(
    'Only an app on this machine is attacked: http:// and a loopback address.',
    'Start the app here, as for development.',
  );
}

async function startSimulator(config: AuditConfig): Promise<GatewaySimulator> {
  const { port = 0, variant = 'A', username, password } = config.simulator;

  try {
    return await GatewaySimulator.start({
      port,
      variant,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    });
  } catch (error) {
    if (readFields(error).code === 'EADDRINUSE')
      throw new CommandFailure('The port of the simulator is in use.', 'End what listens on it.');
    // The simulator's messages show no value.
    throw new CommandFailure(String(readFields(error).message));
  }
}

function readChecks(
  call: CommandCall,
  testing: Testing,
  config: AuditConfig,
  simulator: GatewaySimulator,
  target: Target,
): readonly AppCheck[] {
  const start = (): Promise<RunningApp> =>
    target.url === null
      ? startApp(target.module, config, simulator, call.io)
      : Promise.resolve({ baseUrl: target.url, close: () => undefined });
  const checks = testing.appChecks(toDescription(config, { start, simulator }));

  const only = call.args.texts('only');
  const unknown = only.some((name) => !Object.hasOwn(testing.HOLES, name));
  if (unknown) throw new WrongUsage('--only has an unknown hole; see docs/test-your-own-app.md');
  if (only.length === 0) return checks;
  return checks.filter((check) => check.holes.some((hole) => only.includes(hole)));
}

async function runChecks(
  call: CommandCall,
  testing: Testing,
  checks: readonly AppCheck[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    if (call.io.signal.aborted) throw new CommandFailure('Interrupted.');
    call.output.progress(`${findings.length + 1} of ${checks.length}  ${check.title}`);
    findings.push(await runCheck(check, testing));
  }

  call.output.progress('');
  return findings;
}

async function runCheck(check: AppCheck, testing: Testing): Promise<Finding> {
  const { title } = check;
  try {
    return { title, ...(await check.run()) };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (!(error instanceof testing.AppCheckError)) throw toConnectionFailure(error);

    const { hole, finding, done, page } = error;
    const evidence = { title, finding, done, page };
    return hole === null
      ? { ...evidence, outcome: 'inconclusive' }
      : { ...evidence, outcome: 'hole', hole: hole satisfies HoleName };
  }
}

function toConnectionFailure(error: unknown): CommandFailure {
  const { code } = readFields(error);
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  return new CommandFailure(`The app does not answer${why}.`, 'Check that it runs, and where.');
}

async function show(
  call: CommandCall,
  report: Report,
  testing: Testing,
  secrets: readonly string[],
): Promise<void> {
  const markdown = redact(toMarkdown(report, testing.HOLES), secrets);
  const json = redact(`${toJson(report)}\n`, secrets);

  const name = call.args.text('out');
  if (name !== undefined) {
    try {
      await writeFile(resolve(call.io.folder, `${name}.md`), markdown);
      await writeFile(resolve(call.io.folder, `${name}.json`), json);
    } catch (error) {
      throw toFileFailure('written', error);
    }
  }

  const { passed, hole, inconclusive, 'not-applicable': rest } = report.counts;
  call.output.lines((call.args.isOn('json') ? json : markdown).trimEnd());
  call.output.note(
    `${hole} holes, ${inconclusive} inconclusive, ${passed} checks passed, ${rest} not applicable`,
  );
}
