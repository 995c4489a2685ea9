import type { GatewayClient, Lookup, Variant } from '../../client';
import { LocalTokenStore } from '../../client/shared-token';
import { type Command, type CommandCall, JSON_OPTION, YES_OPTION } from '../command';
import { checkVariant, probeLookup, probeOtp, testLookup, testOtp } from '../doctor/check-account';
import { checkClock, checkConnection, checkTemplate } from '../doctor/check-connection';
import { checkBalance, checkPrice, checkPrices } from '../doctor/check-money';
import { type CheckResult, notTested, showResult, showTotals } from '../doctor/check-result';
import { checkState } from '../doctor/check-state';
import { CommandFailure, UsageError } from '../failures';
import {
  abortOnInterrupt,
  GATEWAY_OPTIONS,
  type GatewayEnvironment,
  openGateway,
  readGatewayEnvironment,
} from '../gateway';
import { STATE_OPTIONS } from '../open-state';
import { askForMoney, readMobile } from '../read-values';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check everything a login needs, and say what to do',
  positionals: [],
  options: {
    number: { value: '<number>', help: 'show what a text message to it costs' },
    send: { help: 'text a code to --number; costs money' },
    lookup: { help: 'look --number up; costs money' },
    template: { value: '<text>', help: 'measure a message' },
    ...STATE_OPTIONS,
    ...YES_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: [
    'Without --send and --lookup it spends no money. REDIS_URL and DATABASE_URL are checked if they are set.',
    'It authenticates: where processes do not share a token (variant B), a running app authenticates again once.',
  ],
  async run(call) {
    const paid = readPaidChecks(call);
    if (paid.isSending || paid.isLookingUp) await askForMoney(call, toQuestion(paid));
    const results: CheckResult[] = [];
    for await (const result of runChecks(call, paid)) {
      // Ctrl+C makes checks fail; that is not a result.
      if (call.io.signal.aborted) throw new CommandFailure('Interrupted.');
      results.push(result);
      if (!call.args.isOn('json')) showResult(call, result);
    }
    const isFine = results.every(({ status }) => status !== 'fail');
    if (call.args.isOn('json')) call.output.json({ fine: isFine, checks: results });
    else showTotals(call, results);
    return isFine ? 0 : 1;
  },
};

/** Which checks that cost money are wanted. */
interface PaidChecks {
  /** E.164 with plus, or null. */
  readonly mobile: string | null;
  readonly isSending: boolean;
  readonly isLookingUp: boolean;
}

function readPaidChecks({ args }: CommandCall): PaidChecks {
  const number = args.text('number');
  const checks = { isSending: args.isOn('send'), isLookingUp: args.isOn('lookup') };
  if (number === undefined && (checks.isSending || checks.isLookingUp)) {
    throw new UsageError('--send and --lookup need --number');
  }
  return { mobile: number === undefined ? null : readMobile(number), ...checks };
}

function toQuestion({ mobile, isSending, isLookingUp }: PaidChecks): string {
  const acts = [...(isSending ? ['text a code to'] : []), ...(isLookingUp ? ['look up'] : [])].join(' and ');
  return `${acts.charAt(0).toUpperCase()}${acts.slice(1)} ${mobile ?? ''}? It costs money.`;
}

/** Runs every check, one after the other. */
async function* runChecks(call: CommandCall, paid: PaidChecks): AsyncGenerator<CheckResult> {
  const environment = await readGatewayEnvironment(call);
  yield* checkGateway(call, environment, paid);
  const template = call.args.text('template');
  if (template !== undefined) yield checkTemplate(template);
  yield* checkState(call);
}

const ACCOUNT_CHECKS = ['balance', 'prices', 'otp', 'lookup'];

async function* checkGateway(
  { io }: CommandCall,
  environment: GatewayEnvironment,
  paid: PaidChecks,
): AsyncGenerator<CheckResult> {
  // Both share a token: where only one is valid, the second client would end the first one's. OTP spec §3.
  const shared = { ...environment, tokenStore: new LocalTokenStore() };
  const open = (variant: Variant): GatewayClient => openGateway({ ...shared, variant });
  const clients = { A: open('A'), B: open('B') };
  for (const client of Object.values(clients)) abortOnInterrupt(client, io.signal);
  try {
    const connection = await checkConnection(clients[environment.variant ?? 'A'], io.now);
    yield* connection.results;
    if (!connection.isUsable) {
      yield* skip(['clock', 'variant', ...ACCOUNT_CHECKS], 'the gateway cannot be used');
      return;
    }
    yield await checkClock(environment, io.now);
    const { result, variant, balance } = await checkVariant(clients, environment.variant);
    yield result;
    if (variant === null) yield* skip(ACCOUNT_CHECKS, 'the variant is not known');
    else yield* checkAccount(clients[variant], balance ?? '', paid);
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close(0)));
  }
}

function skip(checks: readonly string[], why: string): CheckResult[] {
  return checks.map((check) => notTested(check, why));
}

async function* checkAccount(
  client: GatewayClient,
  balance: string,
  { mobile, isSending, isLookingUp }: PaidChecks,
): AsyncGenerator<CheckResult> {
  const { result, table } = await checkPrices(client);
  yield checkBalance(balance, table);
  yield result;
  yield mobile !== null && isSending ? await testOtp(client, mobile) : await probeOtp(client);
  let lookup: Lookup | null = null;
  if (mobile !== null && isLookingUp) {
    const test = await testLookup(client, mobile);
    lookup = test.lookup;
    yield test.result;
  } else yield await probeLookup(client);
  if (mobile === null) return;
  yield table === null
    ? notTested('price', 'there is no price list')
    : await checkPrice(mobile, table, lookup);
}
