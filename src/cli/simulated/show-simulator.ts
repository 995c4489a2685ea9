import type { GatewaySimulator } from '../../simulator';
import type { CommandCall } from '../command';

/** Tells where the simulator is and how to use it. A password of the user's is not shown; the one in the documents is. */
export function showSimulator({ io, screen }: CommandCall, simulator: GatewaySimulator): void {
  const { baseUrl, inboxUrl, variant, username, password } = simulator;
  const { bold, cyan, dim } = screen.style;
  const settings = {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_VARIANT: variant,
    ...(!io.env.SMS_OTP_USERNAME && { SMS_OTP_USERNAME: username }),
    ...(!io.env.SMS_OTP_PASSWORD && { SMS_OTP_PASSWORD: password }),
  };
  screen.line(bold(`Simulated gateway, variant ${variant}`));
  screen.line();
  screen.line(`  inbox    ${cyan(inboxUrl)}`);
  screen.line(`  gateway  ${cyan(baseUrl)}`);
  screen.line();
  for (const [name, value] of Object.entries(settings)) screen.line(`  ${dim('export')} ${name}=${value}`);
  screen.line();
  screen.line(dim('Texts appear in the inbox. Ctrl+C ends it.'));
}
