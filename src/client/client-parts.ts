import { AccountKeys, toAccountName } from './tokens/account-keys';
import { Authenticator } from './tokens/authenticate';
import { CallGate } from './admission/call-gate';
import { CircuitBreaker } from './admission/circuit-breaker';
import type { ClientSettings } from './client-settings';
import { CredentialStop } from './admission/credential-stop';
import { EventHub } from './event-hub';
import { createExchange, type Exchange } from './exchange';
import { toLimits } from './gateway-call';
import { LocalTokenStore } from './tokens/local-token-store';
import { toBalanceCall } from './otp-calls';
import { CallRunner } from './run-call';
import { RequestSender } from './send-request';
import { SharedToken } from './tokens/shared-token';
import { TakeoverWatch } from './tokens/takeover-watch';
import { TokenKeeper } from './token-keeper';
import { createSeal, openSeal } from './tokens/token-seal';

/** What a client is made of. */
export interface ClientParts {
  readonly hub: EventHub;
  readonly sender: RequestSender;
  readonly gate: CallGate;
  readonly keeper: TokenKeeper;
  readonly runner: CallRunner;
  readonly keys: AccountKeys;
}

/** Makes the parts of a client and joins them. Nothing is opened yet. @param random From 0 to 1. */
export function createParts(settings: ClientSettings, random: () => number): ClientParts {
  const { variant, timeouts, now } = settings;
  const keys = new AccountKeys(settings);
  const hub = new EventHub(settings.onEvent);
  const sender = new RequestSender(settings);
  const breaker = new CircuitBreaker(now, hub);
  const exchange = createExchange(sender, breaker);
  const gate = new CallGate(settings);
  const stop: CredentialStop = new CredentialStop(now, hub, (toError) => {
    keeper.drop();
    gate.refuseWaiting(toError);
  });
  const keeper = createKeeper({ settings, random, keys, hub, exchange, stop });
  const probe = toBalanceCall(variant);
  const runner = new CallRunner({
    limits: toLimits(timeouts),
    gate,
    breaker,
    stop,
    keeper,
    exchange,
    hub,
    probe,
  });
  return { hub, sender, gate, keeper, runner, keys };
}

interface KeeperNeeds {
  readonly settings: ClientSettings;
  readonly random: () => number;
  readonly keys: AccountKeys;
  readonly hub: EventHub;
  readonly exchange: Exchange;
  readonly stop: CredentialStop;
}

function createKeeper({ settings, random, keys, hub, exchange, stop }: KeeperNeeds): TokenKeeper {
  const { tokenStore, timeouts, now } = settings;
  const account = toAccountName(settings);
  const watch = new TakeoverWatch(now, random, hub);
  const shared = new SharedToken({
    store: tokenStore ?? new LocalTokenStore(),
    seal: tokenStore === undefined ? openSeal : createSeal(() => keys.derive('token'), account),
    account,
    authenticator: new Authenticator({ settings, exchange, stop, watch, hub }),
    authMs: timeouts.authMs,
    now,
  });
  return new TokenKeeper({ shared, stop, watch, hub, now, random });
}
