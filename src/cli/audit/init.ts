import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandCall, type ExitCode, toFileFailure } from '../command';
import { CommandFailure } from '../failures';
import { CONFIG_FILE } from './config';

interface Question {
  readonly ask: string;
  /** The default for an empty answer. Null: an answer is required. */
  readonly usual: string | null;
}

const QUESTIONS = {
  login: { ask: 'Path that takes the password', usual: '/login' },
  code: { ask: 'Path that takes the code', usual: '/login/pin' },
  guarded: { ask: 'Paths that need the code, separated by commas', usual: null },
  logout: { ask: 'Path of the logout; - if there is none', usual: '/logout' },
  resend: { ask: 'Path that sends another code; - if there is none', usual: '-' },
  json: { ask: 'Does the app take JSON instead of forms? yes or no', usual: 'no' },
  first: { ask: 'Name of a test user', usual: null },
  second: { ask: 'Name of another test user', usual: null },
  password: { ask: 'Environment variable with their password', usual: 'TEST_PASSWORD' },
} as const satisfies Readonly<Record<string, Question>>;

type Answers = Readonly<Record<keyof typeof QUESTIONS, string>>;

/** Asks about the app and writes the description. */
export async function askForDescription(call: CommandCall): Promise<ExitCode> {
  const { output, io, args } = call;
  const name = args.text('config') ?? CONFIG_FILE;
  const entries: [string, string][] = [];
  for (const [key, question] of Object.entries(QUESTIONS))
    entries.push([key, await ask(call, question)]);

  // The loop above has asked every question.
  const text = toFile(Object.fromEntries(entries) as Answers);
  try {
    // Fail if the file exists: it may have been written by hand.
    await writeFile(resolve(io.folder, name), text, { flag: 'wx' });
  } catch (error) {
    throw toFileFailure('written', error);
  }
  output.line(`${name} is written. Give the test users the fictional numbers in it, then run:`);
  output.line('  npx passport-sms-otp audit <app>');
  return 0;
}

async function ask(call: CommandCall, { ask: question, usual }: Question): Promise<string> {
  for (;;) {
    const hint = usual === null ? '' : ` ${call.output.noteStyle('dim', `[${usual}]`)}`;
    call.output.ask(`${question}${hint} `);
    const answer = await call.readLine();
    if (answer === null)
      throw new CommandFailure('Standard input ended before all questions were answered.');
    if (answer !== '') return answer;
    if (usual !== null) return usual;
  }
}

const NUMBERS = ['+12025550123', '+13125550177'] as const;

function toFile({ first, second, password, ...answers }: Answers): string {
  const users = [first, second].map((name, place) => ({
    name,
    phone: NUMBERS[place],
    password: `$${password.replace(/^\$/, '')}`,
  }));
  const guarded = answers.guarded.split(',').map((path) => path.trim());
  const [page] = guarded;
  const isJson = /^y/i.test(answers.json);
  const toRequest = (path: string, from: string | undefined) =>
    path === '-' ? undefined : { path, ...(!isJson && { page: from }) };

  const description = {
    users,
    login: { path: answers.login },
    code: { path: answers.code },
    guarded: guarded.filter((path) => path !== ''),
    ...(isJson && { jsonForms: true }),
    logout: toRequest(answers.logout, page),
    resend: toRequest(answers.resend, answers.code),
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}
