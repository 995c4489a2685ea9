import { askForMoney } from '../args/ask';
import { readMobile } from '../args/read-values';
import { type Command, type CommandCall, JSON_OPTION, YES_OPTION } from '../command';
import { type Finding, showFinding, showTotals } from '../doctor/check-result';
import { examine, type Examined } from '../doctor/run-checks';
import { CommandFailure, UsageError } from '../failures';
import { GATEWAY_OPTIONS } from '../gateway/with-gateway';
import { STATE_OPTIONS } from '../state/open-state';

export const doctor: Command = {
  name: 'doctor',
  summary: 'look at everything a login needs, and say what to do',
  positionals: [],
  options: {
    number: { value: '<number>', help: 'tell what a text message to it costs' },
    send: { help: 'text a code to --number; costs money' },
    lookup: { help: 'look --number up; costs money' },
    template: { value: '<text>', help: 'measure the text of a message' },
    ...STATE_OPTIONS,
    ...YES_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: [
    'Without --send and --lookup nothing is done that costs. REDIS_URL and DATABASE_URL are looked at if they are set.',
    'It authenticates: where processes do not share a token (variant B), a running app authenticates anew once.',
  ],
  async run(call) {
    const wishes = readWishes(call);
    if (wishes.isSending || wishes.isLookingUp) await askForMoney(call, toQuestion(wishes));
    const findings: Finding[] = [];
    for await (const finding of examine(call, wishes)) {
      // What fails because of Ctrl+C is no finding.
      if (call.io.signal.aborted) throw new CommandFailure('Interrupted.');
      findings.push(finding);
      if (!call.args.isOn('json')) showFinding(call, finding);
    }
    const isFine = findings.every(({ status }) => status !== 'fail');
    if (call.args.isOn('json')) call.screen.json({ fine: isFine, findings });
    else showTotals(call, findings);
    return isFine ? 0 : 1;
  },
};

function readWishes({ args }: CommandCall): Examined {
  const number = args.text('number');
  const wishes = { isSending: args.isOn('send'), isLookingUp: args.isOn('lookup') };
  if (number === undefined && (wishes.isSending || wishes.isLookingUp)) {
    throw new UsageError('--send and --lookup need --number');
  }
  return { mobile: number === undefined ? null : readMobile(number), ...wishes };
}

function toQuestion({ mobile, isSending, isLookingUp }: Examined): string {
  const acts = [...(isSending ? ['text a code to'] : []), ...(isLookingUp ? ['look up'] : [])].join(' and ');
  return `${acts.charAt(0).toUpperCase()}${acts.slice(1)} ${mobile ?? ''}? It costs money.`;
}
