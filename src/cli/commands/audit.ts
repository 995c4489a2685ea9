import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatewaySimulator } from '../../simulator';
import { readFields } from '../../errors';
import { type AuditConfig, CONFIG_FILE, listSecrets, readConfig } from '../audit/config';
import { refuseRealNumbers } from '../audit/fictional-numbers';
import { askForDescription } from '../audit/init';
import { createReport, redact, type Report, toMarkdown } from '../audit/report';
import { loadTesting, runChecks, type Target, type Testing } from '../audit/run-checks';
import {
  type Command,
  type CommandCall,
  JSON_OPTION,
  readVersion,
  toFileFailure,
  toJson,
} from '../command';
import { CommandFailure, WrongUsage } from '../failures';

export const audit: Command = {
  name: 'audit',
  summary: 'attack your own app on this machine, and report its holes',
  positionals: ['[app]'],
  options: {
    init: { help: 'ask about the app and write the file of --config' },
    config: { value: '<file>', help: `the description of the app; default: ${CONFIG_FILE}` },
    out: { value: '<name>', help: 'write the report to <name>.md and <name>.json' },
    only: { value: '<hole>', help: 'look for this hole only', isRepeatable: true },
    'real-numbers': { help: 'allow numbers of real people in the file' },
    ...JSON_OPTION,
  },
  notes: [
    'The app is a module, which is started for each check with a simulator as its gateway,',
    '  or the URL of a running app.',
    'Only loopback addresses are attacked.',
    'Exit codes: 0 nothing found, 1 a hole or an open question, 2 the app cannot be audited.',
    'docs/test-your-own-app.md describes the file of --config.',
  ],
  async run(call) {
    if (call.args.isOn('init')) return askForDescription(call);

    const testing = await loadTesting();
    const target = readTarget(call, testing);
    const config = await readConfig(call.io, call.args.text('config'));
    if (!call.args.isOn('real-numbers')) refuseRealNumbers(config);
    if (target.url !== null && config.simulator.port === undefined)
      throw new WrongUsage(
        'With a URL, set the port of the simulator in the configuration: simulator.port',
        "Start the app with http://127.0.0.1:<port> as its gateway's address.",
      );

    const simulator = await startSimulator(config);
    try {
      const findings = await runChecks(call, { testing, config, simulator, target });
      const report = createReport(findings, { now: call.io.now(), version: readVersion() });
      await show(call, report, testing, [...listSecrets(config), simulator.password]);
      return report.isFine ? 0 : 1;
    } finally {
      await simulator.close();
    }
  },
};

function readTarget(call: CommandCall, testing: Testing): Target {
  const [given] = call.args.positionals;
  if (given === undefined)
    throw new WrongUsage('audit needs <app>: a module, or the URL of a running app');
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
      throw new CommandFailure(
        'The port of the simulator is in use.',
        'Stop the program that listens on it.',
      );
    // Show the simulator's message: it contains no value.
    throw new CommandFailure(String(readFields(error).message));
  }
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
