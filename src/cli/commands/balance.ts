import { type Command, type ExitCode, JSON_OPTION } from '../command';
import { GATEWAY_OPTIONS } from '../gateway/gateway-options';
import { withGateway } from '../gateway/with-gateway';

export const balance: Command = {
  name: 'balance',
  summary: "the account's money",
  positionals: [],
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [],
  run: (call) =>
    withGateway<ExitCode>(call, async ({ otp }) => {
      const found = await otp.balance();
      if (call.args.isOn('json')) call.screen.json(found);
      else call.screen.line(found.balance);
      return 0;
    }),
};
