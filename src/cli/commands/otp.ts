import { GatewayRejectedError, type Generated, type GenerateInput } from '../../client';
import { askForMoney } from '../args/ask';
import { PROGRAM } from '../args/help';
import { readMobile, readWhole } from '../args/read-values';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION, YES_OPTION } from '../command';
import { adviseOnCode } from '../explain';
import { blameUsage, CommandFailure } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway/with-gateway';
import { cleanText } from '../output/screen';

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
      showSent(call, await blameUsage(() => otp.generate(input)));
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

function showSent({ args, screen }: CommandCall, sent: Generated): void {
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

/** OTP spec §7: answers about the code, not about the account. */
const ABOUT_THE_CODE = [2107, 2108, 2109, 2120];

/** Not shown in OTP spec §4: whether validating costs; no price list has it, so nothing is asked. */
export const validate: Command = {
  name: 'validate',
  summary: 'check a code that was texted',
  positionals: ['<id>', '<number>'],
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: ['The code is read from standard input, after the password where that comes from there, too.'],
  async run(call) {
    const [id = '', number = ''] = call.args.positionals;
    const mobile = readMobile(number);
    return withGateway(call, async ({ otp }) => {
      const pin = await readPin(call);
      const isRight = await blameUsage(() => otp.validate({ id, mobile, pin })).then(
        (): true => true,
        toAnswer,
      );
      return showValidated(call, isRight);
    });
  },
};

async function readPin({ io, screen, readLine }: CommandCall): Promise<string> {
  if (io.stdin.isTTY === true) screen.ask('Code: ');
  const pin = await readLine();
  if (pin === null) throw new CommandFailure('Standard input had no code.');
  return pin.replaceAll(/[\s-]/g, '');
}

/** A wrong code is news, not an accident. */
function toAnswer(error: unknown): GatewayRejectedError {
  const isAnswer = error instanceof GatewayRejectedError && ABOUT_THE_CODE.includes(error.gatewayCode ?? 0);
  if (!isAnswer) throw error;
  return error;
}

function showValidated({ args, screen }: CommandCall, answer: true | GatewayRejectedError): 0 | 1 {
  const isRight = answer === true;
  if (args.isOn('json')) {
    screen.json(isRight ? { validated: true } : { validated: false, gatewayCode: answer.gatewayCode });
  } else {
    const { green, red } = screen.style;
    screen.line(isRight ? green('right') : `${red('refused')}  ${adviseOnCode(answer.gatewayCode)}`);
  }
  return isRight ? 0 : 1;
}
