import type { AppCheck, HoleName, RunningApp } from 'passport-sms-otp/testing';
import { readFields } from '../../errors';
import type { GatewaySimulator } from '../../simulator';
import type { CommandCall } from '../command';
import { CommandFailure, WrongUsage } from '../failures';
import { type AuditConfig, listSecrets } from './config';
import { toDescription } from './description';
import { clean, Printed, readSecretVariables, type RunSecrets } from './printed';
import type { Finding, FoundHole } from './report';
import { AppDidNotStart, startApp } from './start-app';

export type Testing = Readonly<Awaited<ReturnType<typeof loadTesting>>>;

/** Loads the testing entry. Only this command needs it. */
export async function loadTesting() {
  return import('passport-sms-otp/testing');
}

/** The app to attack. */
export interface Target {
  readonly module: string;
  /** The URL of a running app. Null for a module. */
  readonly url: string | null;
}

interface Audited {
  readonly testing: Testing;
  readonly config: AuditConfig;
  readonly simulator: GatewaySimulator;
  readonly target: Target;
}

/** The state that all checks of one audit share. */
interface Run extends Audited {
  readonly call: CommandCall;
  readonly printed: Printed;
}

/**
 * Runs the selected checks. The first check always runs: it logs in once, which shows whether the
 * app can be audited at all.
 * @throws {WrongUsage} if it cannot.
 */
export async function runChecks(call: CommandCall, audited: Audited): Promise<readonly Finding[]> {
  const run: Run = { ...audited, call, printed: new Printed() };
  const checks = createChecks(run);
  const asked = selectChecks(run, checks);
  const [gate] = checks;

  const findings: Finding[] = [];
  for (const check of gate === undefined || asked.includes(gate) ? asked : [gate, ...asked]) {
    if (call.io.signal.aborted) throw new CommandFailure('Interrupted.');
    call.output.progress(`${findings.length + 1} of ${asked.length}  ${check.title}`);
    const finding = await runCheck(run, check, check === gate);
    if (check === gate) requireLogin(run, finding);
    if (asked.includes(check)) findings.push(finding);
  }

  call.output.progress('');
  return findings;
}

function createChecks({ call, target, testing, ...run }: Run): readonly AppCheck[] {
  const { io } = call;
  const { config, simulator: gateway, printed } = run;
  const start = (): Promise<RunningApp> =>
    target.url === null
      ? startApp({ module: target.module, config, gateway, printed }, io)
      : Promise.resolve({ baseUrl: target.url, close: () => undefined });
  const wait = (milliseconds: number): Promise<void> => io.wait(milliseconds, io.signal);
  return testing.appChecks(toDescription(config, { start, simulator: gateway, wait }));
}

function selectChecks({ call, testing }: Run, checks: readonly AppCheck[]): readonly AppCheck[] {
  const only = call.args.texts('only');
  const unknown = only.some((name) => !Object.hasOwn(testing.HOLES, name));
  if (unknown)
    throw new WrongUsage('--only names an unknown hole; docs/test-your-own-app.md lists them');
  if (only.length === 0) return checks;
  return checks.filter((check) => check.holes.some((hole) => only.includes(hole)));
}

async function runCheck(run: Run, check: AppCheck, isGate: boolean): Promise<Finding> {
  const { title } = check;
  try {
    return { title, ...(await check.run()) };
  } catch (error) {
    if (run.call.io.signal.aborted) throw error;
    if (error instanceof run.testing.AppCheckError) {
      const { hole, finding, done, pages, page } = error;
      const printed = done.some((line) => / -> 5\d\d\b/.test(line)) ? readPrinted(run) : [];
      const evidence = { title, finding, done, pages, page, printed };
      return hole === null
        ? { ...evidence, outcome: 'inconclusive' }
        : { ...evidence, outcome: 'hole', hole: hole satisfies HoleName };
    }
    const failure = toFailure(run, error);
    if (isGate) throw failure;
    return toOpenFinding(run, title, failure);
  }
}

/**
 * Returns an inconclusive finding for a check during which the app did not answer. It may be back
 * for the next check.
 */
function toOpenFinding(run: Run, title: string, { message }: WrongUsage): Finding {
  const { page } = new run.testing.AppCheckError({ hole: null, finding: message, done: [] });
  const evidence = { finding: message, done: [], pages: [], page, printed: readPrinted(run) };
  return { title, outcome: 'inconclusive', ...evidence };
}

function toFailure(run: Run, error: unknown): WrongUsage {
  if (error instanceof AppDidNotStart)
    return new AppDidNotStart(error.message, addPrinted(run, error.advice ?? ''));
  const { code } = readFields(error);
  const why = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? ` (${code})` : '';
  const advice = 'Check that it is running, and its address.';
  return new WrongUsage(`The app does not answer${why}.`, addPrinted(run, advice));
}

/** @throws {WrongUsage} if no login works, because all other checks would only repeat that. */
function requireLogin(run: Run, finding: Finding): void {
  if (finding.outcome !== 'hole') return;
  const advice = adviseOn(run, finding);
  if (advice === null) return;

  const done = finding.done.map((line) => `  ${line}`);
  const lines = [advice, 'What was done, and what came back:', ...done].join('\n');
  throw new WrongUsage(
    `The app cannot be audited. ${clean(finding.finding, secretsOf(run))}`,
    addPrinted(run, clean(lines, secretsOf(run)), finding.printed),
  );
}

function adviseOn(run: Run, { hole, done }: FoundHole): string | null {
  if (hole === 'no-code') return done.some(isForbiddenLogin) ? MISSING_TOKEN : adviseOnGateway(run);
  if (hole === 'code-opens-nothing')
    return 'Check `code` and `guarded` of the configuration: see docs/test-your-own-app.md';
  return null;
}

/** Returns whether a line of what was done is a right password that was answered with 403. */
function isForbiddenLogin(line: string): boolean {
  return /\(password of user \d+\) -> 403\b/.test(line);
}

const MISSING_TOKEN =
  'The login was answered with 403: a CSRF token may be missing. Write the page with the form of ' +
  'the login in `login.page`, or where scripts find the token in `csrf`: see ' +
  'docs/test-your-own-app.md';

function adviseOnGateway({ config, simulator, target }: Run): string {
  const { baseUrl } = config.start.gatewayVariables;
  const gateway =
    target.url === null
      ? `The app must take the address of its gateway from the variable ${baseUrl}, or from the ` +
        'one that start.gatewayVariables names.'
      : `Start the app with ${simulator.baseUrl} as the address of its gateway.`;
  return `${gateway} If it does, check the name, password and number of the first user.`;
}

function addPrinted(run: Run, advice: string, printed = readPrinted(run)): string {
  if (printed.length === 0) return advice;
  return [advice, 'What the app printed last:', ...printed.map((line) => `  ${line}`)].join('\n');
}

function readPrinted(run: Run): readonly string[] {
  return run.printed.lines(secretsOf(run));
}

function secretsOf({ call, config, simulator }: Run): RunSecrets {
  const people = [...config.users, ...(config.logInAs ? [config.logInAs.by] : [])];
  const account = [simulator.password, `${simulator.username}:${simulator.password}`];
  const variables = readSecretVariables(call.io.env, config);
  return {
    texts: [...listSecrets(config), ...account, ...variables],
    phones: [...people.map(({ phone }) => phone), config.newNumber?.phone ?? []].flat(),
    codes: simulator.outbox.map(({ pin }) => pin),
  };
}
