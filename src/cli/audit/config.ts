import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AppDescription, AppRequest, AppUser, Fields } from 'passport-sms-otp/testing';
import { z } from 'zod';
import { parseJson } from '../../stores/check-values';
import { type CliIo, readText } from '../command';
import { CommandFailure, WrongUsage } from '../failures';

/** The name of the file that describes the app, unless --config gives another one. */
export const CONFIG_FILE = 'passport-sms-otp.audit.json';

const path = z.string().regex(/^\/(?![/\\])[^\s#]*$/, 'must be a path that begins with one "/"');
const phone = z.string().regex(/^\+\d{7,15}$/, 'must be a number in E.164 with plus');
const text = z.string().min(1);
const fields = z.record(text, z.string());
const method = z.enum(['GET', 'POST']);

const request = z.strictObject({
  path,
  method: method.optional(),
  page: path.optional(),
  fields: fields.optional(),
});
const codeRequest = z.strictObject({ path, page: path.optional(), field: text.optional() });
const user = z.strictObject({ name: text, phone, password: text });

const schema = z.strictObject({
  users: z.array(user).min(2),
  login: z.strictObject({
    path,
    page: path.optional(),
    fields: z.strictObject({ username: text.optional(), password: text.optional() }).optional(),
  }),
  code: codeRequest,
  guarded: z
    .array(z.union([path, z.strictObject({ ...request.shape, shows: text.optional() })]))
    .min(1),
  jsonForms: z.boolean().optional(),
  csrf: z
    .strictObject({
      path: path.optional(),
      field: text.optional(),
      cookie: text.optional(),
      header: text,
    })
    .optional(),
  token: z.strictObject({ field: text }).optional(),
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
    .strictObject({ ...request.shape, code: codeRequest.omit({ field: true }).optional() })
    .optional(),
  passwordReset: z
    .strictObject({ requests: z.array(request).min(1), keepsLogins: z.boolean().optional() })
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

/** What the file says of the app. */
export type AuditConfig = z.infer<typeof schema>;

/** A description to begin with. */
const SAMPLE = `{
  "users": [
    { "name": "alice", "phone": "+12025550123", "password": "a password of a test user" },
    { "name": "bob", "phone": "+13125550177", "password": "a password of a test user" }
  ],
  "login": { "path": "/login" },
  "code": { "path": "/login/pin" },
  "guarded": ["/account"]
}`;

/**
 * Reads the text of the file.
 * @param name Of the file of `--config`; undefined: the usual one.
 * @throws {CommandFailure} that has a description to copy when the usual one is not there.
 */
async function readDescription(folder: string, name: string | undefined): Promise<string> {
  if (name !== undefined) return readText(folder, name);
  if (existsSync(resolve(folder, CONFIG_FILE))) return readText(folder, CONFIG_FILE);
  throw new CommandFailure(
    `There is no ${CONFIG_FILE} in this folder, which describes the app.`,
    `Write one, such as this, with your users and paths:\n${SAMPLE}`,
  );
}

/**
 * Reads the file. `$NAME` in place of a password or a secret is read from the environment.
 * @throws {WrongUsage} that names what is wrong, and shows no value.
 */
export async function readConfig(
  io: Pick<CliIo, 'folder' | 'env'>,
  name: string | undefined,
): Promise<AuditConfig> {
  const found = schema.safeParse(parseJson(await readDescription(io.folder, name)));
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

/** The place and the rule of the first problem. Names of members are ours, or cleaned. */
function explainIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it cannot be read';

  const place = issue.path.map(String).join('.') || 'the file';
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => key.slice(0, 40));
    return `${place} has unknown members: ${names.join(', ')}`;
  }
  return `${place}: ${issue.message}`;
}

/** Everything in the file that no report may show. */
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

/** Turns the file into a description of the app. */
export function toDescription(
  config: AuditConfig,
  parts: Pick<AppDescription, 'start' | 'simulator'>,
): AppDescription {
  const { users, logInAs, userWithoutNumber, simulator: _s, start: _t, ...rest } = config;
  const people = [...users, ...(logInAs ? [logInAs.by] : [])];
  const passwords = new Map(people.map((one) => [one.name, one.password]));
  if (userWithoutNumber) passwords.set(userWithoutNumber.name, userWithoutNumber.password);
  const passwordOf = (known: AppUser): string => passwords.get(known.name) ?? '';

  const toRequest = <Asked extends { readonly fields?: Fields | undefined }>(asked: Asked) => ({
    ...asked,
    fields: (known: AppUser): Fields => fill(asked.fields ?? {}, known, passwordOf(known)),
  });
  const toLogInAs = (given: NonNullable<AuditConfig['logInAs']>) => {
    const { shows } = given;
    const asked = { by: given.by, request: toRequest(given.request) };
    if (shows === undefined) return { ...asked, shows };
    return { ...asked, shows: (known: AppUser) => fillText(shows, known, passwordOf(known)) };
  };
  const toOptional = (asked: z.infer<typeof request> | undefined): AppRequest | undefined =>
    asked && toRequest(asked);

  return {
    ...rest,
    ...parts,
    users: users.map(({ name, phone }) => ({ name, phone })),
    login: { ...config.login, password: passwordOf },
    logout: toOptional(rest.logout),
    resend: toOptional(rest.resend),
    cancel: toOptional(rest.cancel),
    stepUp: rest.stepUp && toRequest(rest.stepUp),
    passwordReset: rest.passwordReset && {
      ...rest.passwordReset,
      requests: rest.passwordReset.requests.map(toRequest),
    },
    rememberMe: rest.rememberMe && {
      ...rest.rememberMe,
      request: toOptional(rest.rememberMe.request),
    },
    logInAs: logInAs && toLogInAs(logInAs),
    userWithoutNumber: userWithoutNumber?.name,
  };
}

/** Puts a user into the fields: `{name}`, `{phone}` and `{password}`. */
function fill(given: Fields, known: AppUser, password: string): Fields {
  const filled = Object.entries(given).map(([key, value]) => [
    key,
    fillText(value, known, password),
  ]);
  return Object.fromEntries(filled) as Fields;
}

function fillText(given: string, known: AppUser, password: string): string {
  const { name, phone } = known;
  const values: Readonly<Record<string, string>> = { name, phone, password };
  return given.replaceAll(
    /\{(name|phone|password)\}/g,
    (whole, word: string) => values[word] ?? whole,
  );
}
