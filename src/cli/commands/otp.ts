import { GatewayRejectedError, type Generated, type GenerateInput } from '../../client';
import {
  type Command,
  type CommandCall,
  JSON_OPTION,
  PROGRAM,
  readMobile,
  YES_OPTION,
} from '../command';
import { adviseOnCode, CommandFailure, withUsageErrors } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';

export const send: Command = {
  name: 'send',
  summary: 'send a code to a number; costs money',
  positionals: ['<number>'],
  options: {
    message: { value: '<text>', help: 'the message, with [PIN] in the place of the code' },
    sender: { value: '<name>', help: 'the sender that the phone shows' },
    validity: { value: '<seconds>', help: 'how long the code is valid' },
    reference: { value: '<text>', help: 'your own reference; variant A only' },
    ...YES_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: ['It prints the id that validate needs. Only the gateway and the phone know the code.'],
  async run(call) {
    const input = readInput(call);
    return withGateway(call, async (client) => {
      await call.askForMoney(`Send a code to ${input.mobile}? It costs money.`);
      showSent(call, await withUsageErrors(() => client.otp.generate(input)));
      return 0;
    });
  },
};

function readInput(call: CommandCall): GenerateInput {
  const { args } = call;
  const validity = args.whole('validity', { min: 1, max: 1_800, fallback: 0 });
  return {
    mobile: readMobile(args.positionals[0] ?? ''),
    message: args.text('message'),
    sender: args.text('sender'),
    referenceCode: args.text('reference'),
    validitySeconds: validity === 0 ? undefined : validity,
  };
}

function showSent(call: CommandCall, sent: Generated): void {
  const { line, style } = call.output;
  call.showResult(sent, () => {
    line(`${style('green', 'sent')}  id ${sent.id}${describe(sent)}`);
    line(style('dim', `      ${PROGRAM} validate ${quote(sent.id)} ${sent.mobile}`));
  });
}

function describe(sent: Generated): string {
  if (sent.variant === 'B') return sent.cost === null ? '' : `, cost ${sent.cost}`;
  return sent.validitySeconds === null ? '' : `, valid for ${sent.validitySeconds} s`;
}

/** Quotes an id for a shell. In variant A it may contain any character. */
function quote(id: string): string {
  return /^[\w-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`;
}

/** OTP spec §7: codes about the pin, not about the account. */
const CODE_REFUSED = [2107, 2108, 2109, 2120];

/**
 * Not shown in OTP spec §4: whether validating costs money. No price list has it, so the command
 * does not ask first.
 */
export const validate: Command = {
  name: 'validate',
  summary: 'check a code that was sent',
  positionals: ['<id>', '<number>'],
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: ['The code is read from standard input, after the password if --password-stdin is given.'],
  async run(call) {
    const [id = '', number = ''] = call.args.positionals;
    const mobile = readMobile(number);

    return withGateway(call, async (client) => {
      const pin = await readPin(call);
      try {
        await withUsageErrors(() => client.otp.validate({ id, mobile, pin }));
      } catch (error) {
        return showRefusal(call, error);
      }

      call.showResult({ validated: true }, () =>
        call.output.line(call.output.style('green', 'right')),
      );
      return 0;
    });
  },
};

async function readPin(call: CommandCall): Promise<string> {
  if (call.io.stdin.isTTY === true) call.output.ask('Code: ');
  const pin = await call.readLine();
  if (pin === null) throw new CommandFailure('Standard input had no code.');
  return pin.replaceAll(/[\s-]/g, '');
}

/** Shows a refused code, which is a result and not an error. */
function showRefusal(call: CommandCall, error: unknown): 1 {
  const gatewayCode = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  if (!CODE_REFUSED.includes(gatewayCode ?? 0)) throw error;
  const { line, style } = call.output;
  call.showResult({ validated: false, gatewayCode }, () =>
    line(`${style('red', 'refused')}  ${adviseOnCode(gatewayCode)}`),
  );
  return 1;
}
