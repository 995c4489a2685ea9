import { GatewayRejectedError } from '../../client';
import { type Command, type CommandCall, JSON_OPTION } from '../command';
import { adviseOnCode } from '../gateway/advice-by-code';
import { blameUsage, CommandFailure } from '../failures';
import { GATEWAY_OPTIONS } from '../gateway/gateway-options';
import { withGateway } from '../gateway/with-gateway';
import { readMobile } from '../line/read-values';

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
      return show(call, isRight);
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

function show({ args, screen }: CommandCall, answer: true | GatewayRejectedError): 0 | 1 {
  const isRight = answer === true;
  if (args.isOn('json')) {
    screen.json(isRight ? { validated: true } : { validated: false, gatewayCode: answer.gatewayCode });
  } else {
    const { green, red } = screen.style;
    screen.line(isRight ? green('right') : `${red('refused')}  ${adviseOnCode(answer.gatewayCode)}`);
  }
  return isRight ? 0 : 1;
}
