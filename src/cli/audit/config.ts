import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type CliIo, readText } from '../command';
import { WrongUsage } from '../failures';
import { parseJson } from '../parse-json';

/** The name of the file that describes the app. --config gives another one. */
export const CONFIG_FILE = 'passport-sms-otp.audit.json';

const path = z.string().regex(/^\/(?![/\\])[^\s#]*$/, 'must be a path that begins with one "/"');
const phone = z.string().regex(/^\+\d{7,15}$/, 'must be a number in E.164 with plus');
const text = z.string().min(1);
const fields = z.record(text, z.string());
const method = z.string().regex(/^[A-Z]{3,10}$/, 'must be a method in capital letters');
const token = z.strictObject({ field: text, header: text.optional() });

const request = z.strictObject({
  path,
  method: method.optional(),
  page: path.optional(),
  fields: fields.optional(),
});
const codeRequest = z.strictObject({ path, page: path.optional(), field: text.optional() });
const user = z.strictObject(
  { name: text, phone, password: text },
  { error: 'must be an object with name, phone and password' },
);
const guardedPage = z.preprocess(
  (given) => (typeof given === 'string' ? { path: given } : given),
  z.strictObject({ ...request.shape, shows: text.optional() }),
);

const schema = z.strictObject({
  users: z.array(user).min(2),
  login: z.strictObject({
    path,
    page: path.optional(),
    fields: z.strictObject({ username: text.optional(), password: text.optional() }).optional(),
  }),
  code: codeRequest,
  guarded: z.array(guardedPage).min(1),
  jsonForms: z.boolean().optional(),
  csrf: z
    .strictObject({
      path: path.optional(),
      field: text.optional(),
      cookie: text.optional(),
      header: text,
    })
    .optional(),
  token: token.optional(),
  sessionCookie: text.optional(),
  proxy: z
    .strictObject({ hops: z.int().min(1).max(9).optional(), https: z.boolean().optional() })
    .optional(),
  secrets: z.array(text).optional(),
  returnTo: z.array(text).optional(),
  logout: request.optional(),
  resend: request.optional(),
  cancel: request.optional(),
  stepUp: z
    .strictObject({
      ...request.shape,
      code: codeRequest.omit({ field: true }).optional(),
      protects: z.array(guardedPage).min(1).optional(),
      waitSeconds: z.int().min(1).max(600).optional(),
    })
    .optional(),
  passwordReset: z
    .strictObject({ requests: z.array(request).min(1), keepsLogins: z.boolean().optional() })
    .optional(),
  otherWaysIn: z
    .array(z.strictObject({ requests: z.array(request).min(1), token: token.optional() }))
    .optional(),
  rememberMe: z.strictObject({ fields, request: request.optional() }).optional(),
  logInAs: z.strictObject({ by: user, request, shows: text.optional() }).optional(),
  trustedDevice: z.strictObject({ fields }).optional(),
  newNumber: z.strictObject({ ...codeRequest.shape, phone }).optional(),
  userWithoutNumber: user.omit({ phone: true }).optional(),
  simulator: z
    .strictObject({
      port: z.int().min(1).max(65_535).optional(),
      variant: z.enum(['A', 'B']).optional(),
      username: text.optional(),
      password: text.optional(),
    })
    .default({}),
  start: z
    .strictObject({
      arguments: z.array(z.string()).default([]),
      environment: z.record(text, z.string()).default({}),
      port: z.int().min(1).max(65_535).optional(),
      portVariable: text.default('PORT'),
      gatewayVariables: z
        .strictObject({
          baseUrl: text.default('SMS_OTP_BASE_URL'),
          variant: text.default('SMS_OTP_VARIANT'),
          username: text.default('SMS_OTP_USERNAME'),
          password: text.default('SMS_OTP_PASSWORD'),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** The description of the app in the file. */
export type AuditConfig = z.infer<typeof schema>;

/**
 * Reads the content of the file.
 * @param name The file of `--config`. Undefined: the default one.
 * @throws {WrongUsage} that says how to create the default one if it does not exist.
 */
async function readDescription(folder: string, name: string | undefined): Promise<string> {
  if (name !== undefined) return readText(folder, name);
  if (existsSync(resolve(folder, CONFIG_FILE))) return readText(folder, CONFIG_FILE);
  throw new WrongUsage(
    `There is no ${CONFIG_FILE} in this folder, which describes the app.`,
    'Make one with passport-sms-otp audit --init, which asks for what it needs.',
  );
}

/**
 * Reads the file. A password or secret of the form `$NAME` is read from the environment.
 * @throws {WrongUsage} that names the problem and shows no value.
 */
export async function readConfig(
  io: Pick<CliIo, 'folder' | 'env'>,
  name: string | undefined,
): Promise<AuditConfig> {
  const found = schema.safeParse(
    parseJson('The configuration', await readDescription(io.folder, name)),
  );
  if (!found.success) throw new WrongUsage(`The configuration: ${explainIssue(found.error)}`);
  const config = found.data;

  const fromEnvironment = (value: string): string => {
    if (!/^\$[A-Za-z_]\w*$/.test(value)) return value;
    const variable = value.slice(1);
    const given = io.env[variable];
    if (!given) throw new WrongUsage(`The configuration: ${variable} is not set`);
    return given;
  };
  const withPassword = <Known extends { readonly password: string }>(known: Known): Known => ({
    ...known,
    password: fromEnvironment(known.password),
  });

  const { logInAs, userWithoutNumber } = config;
  return {
    ...config,
    users: config.users.map(withPassword),
    secrets: config.secrets?.map(fromEnvironment),
    logInAs: logInAs && { ...logInAs, by: withPassword(logInAs.by) },
    userWithoutNumber: userWithoutNumber && withPassword(userWithoutNumber),
  };
}

/**
 * Returns the place and the rule of the first problem. Field names are ours, or cut to 40
 * characters.
 */
function explainIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it cannot be read';

  const place = z.core.toDotPath(issue.path) || 'the file';
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => key.slice(0, 40));
    return `${place} has unknown fields: ${names.join(', ')}`;
  }
  return `${place}: ${issue.message}`;
}

/** Returns everything in the file that no report may show. */
export function listSecrets(config: AuditConfig): readonly string[] {
  const { users, logInAs, userWithoutNumber, secrets = [], newNumber } = config;
  const people = [...users, ...(logInAs ? [logInAs.by] : [])];

  return [
    ...people.flatMap((one) => [one.password, one.phone, one.name]),
    ...(userWithoutNumber ? [userWithoutNumber.password, userWithoutNumber.name] : []),
    ...(newNumber ? [newNumber.phone] : []),
    ...secrets,
  ];
}
