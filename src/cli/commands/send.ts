import { type Command, type CommandCall, type ExitCode, JSON_OPTION, YES_OPTION } from '../command';
import type { Generated, GenerateInput } from '../../client';
import { blameUsage } from '../failures';
import { GATEWAY_OPTIONS } from '../gateway/gateway-options';
import { withGateway } from '../gateway/with-gateway';
import { askForMoney } from '../line/ask';
import { PROGRAM } from '../line/help';
import { readMobile, readWhole } from '../line/read-values';
import { cleanText } from '../screen/clean-text';

export const send: Command = {
  name: 'send',
  summary: 'text a code to a number; costs money',
  positionals: ['<number>'],
  options: {
    message: { value: '<text>', help: 'the text, with [PIN] where the code goes' },
    sender: { value: '<name>', help: 'who it comes from' },
    validity: { value: '<seconds>', help: 'how long the code lives' },
    reference: { value: '<text>', help: 'your own reference; variant A only' },
    ...YES_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: [
    'It prints the id that validate needs. The code itself is known to the gateway and the phone alone.',
  ],
  async run(call) {
    const input = readInput(call);
    return withGateway<ExitCode>(call, async ({ otp }) => {
      await askForMoney(call, `Text a code to ${input.mobile}? It costs money.`);
      show(call, await blameUsage(() => otp.generate(input)));
      return 0;
    });
  },
};

function readInput({ args }: CommandCall): GenerateInput {
  const validity = readWhole(args, 'validity', { min: 1, max: 1_800, standard: 0 });
  return {
    mobile: readMobile(args.positionals[0] ?? ''),
    message: args.text('message'),
    sender: args.text('sender'),
    referenceCode: args.text('reference'),
    validitySeconds: validity === 0 ? undefined : validity,
  };
}

function show({ args, screen }: CommandCall, sent: Generated): void {
  if (args.isOn('json')) {
    screen.json(sent);
    return;
  }
  const id = cleanText(sent.id);
  const { green, dim } = screen.style;
  const facts = sent.variant === 'A' ? describeA(sent.validitySeconds) : describeB(sent.cost);
  screen.line(`${green('sent')}  id ${id}${facts}`);
  screen.line(dim(`      ${PROGRAM} validate ${quote(id)} ${sent.mobile}`));
}

function describeA(validitySeconds: number | null): string {
  return validitySeconds === null ? '' : `, good for ${validitySeconds} s`;
}

function describeB(cost: string | null): string {
  return cost === null ? '' : `, cost ${cost}`;
}

/** An id of A may hold anything; a shell must take it as one word. */
function quote(id: string): string {
  return /^[\w-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`;
}
