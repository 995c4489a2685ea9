import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import {
  type GatewayClient,
  GatewayRejectedError,
  type Lookup,
  type NetworkPrice,
  type PriceList,
  type Variant,
} from '../../client';
import { isUnknownPath, NO_SUCH_PATH } from '../../client/otp-gateway';
import { originOf, toKnownCountry } from '../../limits/number-country';
import { toDecimal, toMicros } from '../../policies/spend-limits/micros';
import { memoryTokens } from '../../stores/memory/memory-tokens';
import {
  createPriceTable,
  findCountryPrice,
  findNetworkPrice,
  loadRegions,
  type PriceTable,
} from '../../policies/spend-limits/price-table';
import type { CommandCall } from '../command';
import { abortOnInterrupt, type GatewayEnvironment, openGateway } from '../gateway';
import { type DoctorResult, fail, notTested, pass, toResult, warn } from './check-result';

/** The checks that cost money and were asked for. */
export interface PaidChecks {
  /** The number in E.164 with plus, or null. */
  readonly mobile: string | null;
  readonly isSending: boolean;
  readonly isLookingUp: boolean;
}

const ACCOUNT_CHECKS = ['balance', 'prices', 'otp', 'lookup'];

/** Checks the gateway and the account, one check after the other. */
export async function* checkGateway(
  io: CommandCall['io'],
  environment: GatewayEnvironment,
  paid: PaidChecks,
) {
  // Share a token: if only one is valid, the second client would end the token of the first. OTP
  // spec §3.
  const shared = { ...environment, tokenStore: memoryTokens(1, Date.now) };
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
    const { result, found } = await checkVariant(clients, environment.variant);
    yield result;
    if (found === null) yield* skip(ACCOUNT_CHECKS, 'the variant is not known');
    else yield* checkAccount(clients[found.variant], found.balance, paid);
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close(0)));
    await environment.dispatcher?.destroy();
  }
}

function skip(checks: readonly string[], why: string): DoctorResult[] {
  return checks.map((check) => notTested(check, why));
}

async function* checkAccount(client: GatewayClient, balance: string, paid: PaidChecks) {
  const { mobile } = paid;
  const { result, table, currency } = await checkPrices(client);
  yield checkBalance(balance, currency, table);
  yield result;
  yield mobile !== null && paid.isSending ? await testOtp(client, mobile) : await probeOtp(client);
  const test = mobile !== null && paid.isLookingUp ? await testLookup(client, mobile) : null;
  yield test?.result ?? (await probeLookup(client));

  if (mobile === null) return;
  if (table === null) yield notTested('price', 'there is no price list');
  else yield await checkPrice(mobile, table, test?.lookup ?? null);
}

const SLOW_MS = 2_000;

/** OTP spec §7, HLR spec §7: codes of the authentication. */
const CREDENTIAL_CODES = [1002, 1003, 1004];

/**
 * Authenticates. So it checks that the gateway can be reached, answers as documented and accepts
 * the credentials.
 * @returns `isUsable`: whether the other checks can be made.
 */
async function checkConnection(client: GatewayClient, now: () => number) {
  try {
    await client.warmUp();
  } catch (error) {
    return { results: toResults(error), isUsable: false };
  }

  const startedAt = now();
  // Ignore an error: only the duration matters here.
  await client.otp.balance().catch(() => undefined);
  const tookMs = Math.round(now() - startedAt);

  const detail = `answers in ${tookMs} ms`;
  const advice = 'Every login waits that long. Check the network between here and the gateway.';
  const gateway = tookMs < SLOW_MS ? pass('gateway', detail) : warn('gateway', detail, advice);
  return { results: [gateway, pass('credentials', 'accepted')], isUsable: true };
}

function toResults(error: unknown): readonly DoctorResult[] {
  const result = toResult('gateway', error);
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  if (code !== null && CREDENTIAL_CODES.includes(code)) {
    return [pass('gateway', 'answers'), fail('credentials', `refused (${code})`, result.advice)];
  }

  const untested = notTested('credentials', 'the gateway cannot be used');
  if (code !== NO_SUCH_PATH) return [result, untested];
  return [
    fail('gateway', 'answers, but has no /apis/auth', 'Check the path in SMS_OTP_BASE_URL.'),
    untested,
  ];
}

const TIMEOUT_MS = 3_000;
/** Allows for whole seconds in the Date header and for the time of the answer. */
const TOLERANCE_SECONDS = 30;

type Endpoint = Pick<GatewayEnvironment, 'baseUrl' | 'authorities'>;

/** Compares the clock with the Date header of an answer (RFC 9110, 6.6.1). Sends no credentials. */
async function checkClock(endpoint: Endpoint, now: () => number): Promise<DoctorResult> {
  const date = await readDate(endpoint);
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return notTested('clock', 'the gateway sends no Date header');

  const seconds = Math.round((now() - theirs) / 1_000);
  const size = Math.abs(seconds);
  if (size <= TOLERANCE_SECONDS) return pass('clock', "agrees with the gateway's");

  const detail = `${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the gateway's`;
  const advice = "Synchronize this machine's clock by NTP: the deadlines of codes depend on it.";
  return warn('clock', detail, advice);
}

/** Sends a request without the client, which does not show headers. */
function readDate(endpoint: Endpoint): Promise<string | null> {
  const { baseUrl, authorities } = endpoint;
  const isSecure = baseUrl.startsWith('https:');

  return new Promise((resolve) => {
    const send = isSecure ? requestSecure : requestPlain;
    const request = send(baseUrl, {
      method: 'HEAD',
      agent: false,
      timeout: TIMEOUT_MS,
      ...(authorities !== undefined && { ca: [...authorities] }),
    });

    request.once('response', (response) => {
      response.resume();
      resolve(response.headers.date ?? null);
      request.destroy();
    });
    request.once('timeout', () => request.destroy());
    // Ignore an error: an earlier check has reported whether the gateway can be reached.
    request.on('error', () => resolve(null));
    request.once('close', () => resolve(null));
    request.end();
  });
}

/**
 * Finds the variant by requesting the balance at the path of each variant, which is free. OTP spec
 * §1.
 * @param configured Null if SMS_OTP_VARIANT is not set, which means A.
 * @returns `found`: the variant of the gateway and the balance. Null if neither path works.
 */
async function checkVariant(
  clients: Readonly<Record<Variant, GatewayClient>>,
  configured: Variant | null,
) {
  const wanted: Variant = configured ?? 'A';
  const other: Variant = wanted === 'A' ? 'B' : 'A';

  const own = await readBalance(clients[wanted]);
  if ('balance' in own) {
    const text = configured === null ? `${wanted}, the default without SMS_OTP_VARIANT` : wanted;
    return { result: pass('variant', text), found: { variant: wanted, balance: own.balance } };
  }

  const second = await readBalance(clients[other]);
  if ('balance' in second) {
    const known = configured === null ? '' : `, not ${configured}`;
    const detail = `the gateway is variant ${other}${known}`;
    const result = fail('variant', detail, `Set SMS_OTP_VARIANT=${other}.`);
    return { result, found: { variant: other, balance: second.balance } };
  }

  if (!isUnknownPath(own.error)) return { result: toResult('variant', own.error), found: null };
  const detail = 'neither A nor B: there is no balance at the path of either';
  const advice =
    "Check the path in SMS_OTP_BASE_URL, and ask the gateway's operator whether the OTP service " +
    'is enabled.';
  return { result: warn('variant', detail, advice), found: null };
}

async function readBalance(
  client: GatewayClient,
): Promise<{ balance: string } | { error: unknown }> {
  try {
    return await client.otp.balance();
  } catch (error) {
    return { error };
  }
}

/** A fictional number. With it and an id that no gateway issues, nothing can be validated. */
const FICTIONAL_MOBILE = '+12025550100';
const UNUSED_ID = { A: 'no-such-id', B: '9007199254740991' } as const;

/** OTP spec §7: codes about the pin or the path, not about a permission. */
const PERMITTED = [NO_SUCH_PATH, 2103, 2107, 2108, 2109, 2120];

/**
 * Checks whether the account may send codes, as far as a free call shows: it validates a code that
 * was never sent. Not shown in OTP spec §7: whether validating is rejected with 2100 as sending is.
 */
async function probeOtp(client: GatewayClient): Promise<DoctorResult> {
  const id = UNUSED_ID[client.variant];
  try {
    await client.otp.validate({ id, mobile: FICTIONAL_MOBILE, pin: '0000' });
  } catch (error) {
    const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
    if (code === null || !PERMITTED.includes(code)) return toResult('otp', error);
    return notProven('otp', 'codes', 'send');
  }

  return fail(
    'otp',
    'a code that was never sent was accepted',
    'Do not use this gateway, and inform its operator.',
  );
}

function notProven(check: string, what: string, option: string): DoctorResult {
  return notTested(
    check,
    `the free check found no problem, but only a paid one proves that ${what} work`,
    `Test it with --number and --${option}, for money.`,
  );
}

/** The fields that a login sends besides the number, so that this check fails if a login would. */
const AS_A_LOGIN = { validitySeconds: 300, message: 'passport-sms-otp doctor: [PIN]' };

/** Sends a code by text message. Costs money. */
async function testOtp(client: GatewayClient, mobile: string): Promise<DoctorResult> {
  try {
    await client.otp.generate({ mobile, ...AS_A_LOGIN });
    return pass('otp', `a code was sent to ${mobile}`);
  } catch (error) {
    return toResult('otp', error);
  }
}

/**
 * Checks whether lookups are rejected, as far as a free call shows. A rejection is only a warning,
 * because lookups are optional.
 */
async function probeLookup(client: GatewayClient): Promise<DoctorResult> {
  try {
    await client.hlr.balance();
    return notProven('lookup', 'lookups', 'lookup');
  } catch (error) {
    const { detail, advice } = toResult('lookup', error);
    return warn('lookup', detail, advice ?? 'numberCheck and simSwap need lookups.');
  }
}

/** Looks up a number. Costs money. */
async function testLookup(client: GatewayClient, mobile: string) {
  try {
    const lookup = await client.hlr.lookup(mobile);
    const facts = [lookup.status, lookup.operator, lookup.country].filter(Boolean);
    return { result: pass('lookup', `${mobile}: ${facts.join(', ')}`), lookup };
  } catch (error) {
    return { result: toResult('lookup', error), lookup: null };
  }
}

/** A balance for fewer messages than this is a warning. */
const FEW_MESSAGES = 100;

/**
 * Fetches both price lists. The list of lookups has the dialing codes and may be missing.
 * @returns The joined lists as `table`. Null if there is no list of messages.
 */
async function checkPrices(
  client: GatewayClient,
): Promise<{ result: DoctorResult; table: PriceTable | null; currency: string | null }> {
  try {
    const messages = await client.otp.pricing();
    // Ignore an error: another check reports whether lookups work.
    const lookups = await client.hlr.pricing().catch(() => null);
    return {
      result: checkList(messages),
      table: createPriceTable(messages, lookups, await loadRegions()),
      // OTP spec §2: the list names the currency of the account.
      currency: messages.currency.name ?? messages.currency.symbol,
    };
  } catch (error) {
    return { result: toResult('prices', error, 'warn'), table: null, currency: null };
  }
}

function checkList(list: PriceList<NetworkPrice>): DoctorResult {
  const { pricing, oddRows, currency } = list;
  const networks = pricing.length === 1 ? '1 network' : `${pricing.length} networks`;
  const detail = currency.name === null ? networks : `${networks}, in ${currency.name}`;
  if (pricing.length === 0)
    return warn('prices', 'the list is empty', 'spendLimits needs it; ask the operator.');
  if (oddRows === 0) return pass('prices', detail);
  const advice = "Invalid rows are left out; inform the gateway's operator.";
  return warn('prices', `${detail}, ${oddRows} invalid rows`, advice);
}

/** Checks the balance, and how many messages it pays for. */
function checkBalance(
  balance: string,
  currency: string | null,
  table: PriceTable | null,
): DoctorResult {
  const micros = toMicros(balance);
  if (micros === null) return warn('balance', 'not an amount', "Ask the gateway's operator.");

  const amount = currency === null ? balance : `${balance} ${currency}`;
  if (micros <= 0) return fail('balance', amount, 'Top up the account: nothing can be sent.');

  const highest = Math.max(0, ...(table?.highestByCountry.values() ?? []));
  if (highest === 0) return pass('balance', amount);
  const messages = Math.floor(micros / highest);
  const detail = `${amount}, ${messages} messages at the highest price`;
  return messages >= FEW_MESSAGES
    ? pass('balance', detail)
    : warn('balance', detail, 'Top up the account soon.');
}

/**
 * Checks what a message to a number costs at most.
 * @param lookup The number's network, if it was looked up.
 */
async function checkPrice(
  mobile: string,
  table: PriceTable,
  lookup: Lookup | null,
): Promise<DoctorResult> {
  const country = toKnownCountry(await originOf({ mobile }));
  const onNetwork = lookup === null ? null : findNetworkPrice(table, lookup);
  const found = onNetwork ?? findCountryPrice(table, country, mobile);

  if (found === null) {
    const advice = "The list does not have its country; ask the gateway's operator.";
    return warn('price', `none for ${mobile}`, advice);
  }

  const kind = found.confidence <= 3 ? ", its network's" : ' at most';
  return pass('price', `${toDecimal(found.micros)} to ${mobile}${kind}`);
}
