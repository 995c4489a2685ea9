import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandCall, type ExitCode, toFileFailure } from '../command';
import { CommandFailure } from '../failures';
import { CONFIG_FILE } from './config';

interface Question {
  readonly ask: string;
  /** The default for a blank answer, or how to find it from the code's path. */
  readonly usual?: string | ((codePath: string) => string);
  /** Shown if an answer is required and was left blank. */
  readonly example?: string;
}

/** Paths are those of the ready-made pages, unless the code has another path. */
const QUESTIONS = {
  login: { ask: 'Path that takes the password', usual: '/login' },
  page: { ask: 'Page with the form of the login; - if it has the same path', usual: '-' },
  code: { ask: 'Path that takes the code', usual: '/second-factor/code' },
  guarded: { ask: 'Paths that need the code, separated by commas', example: '/account' },
  logout: { ask: 'Path of the logout; - if there is none', usual: '/logout' },
  resend: {
    ask: 'Path that sends another code; - if there is none',
    usual: (codePath) => toOwnPage(codePath, 'resend') ?? '-',
  },
  json: { ask: 'Does the app take JSON instead of forms? yes or no', usual: 'no' },
  first: { ask: 'Name of a test user', example: 'alice' },
  second: { ask: 'Name of another test user', example: 'bob' },
  password: { ask: 'Environment variable with their password', usual: 'TEST_PASSWORD' },
} as const satisfies Readonly<Record<string, Question>>;

type Answers = Readonly<Record<keyof typeof QUESTIONS, string>>;

const MOST_BLANKS = 3;

/** Asks about the app and writes the description. */
export async function askForDescription(call: CommandCall): Promise<ExitCode> {
  const { output, io, args } = call;
  const name = args.text('config') ?? CONFIG_FILE;
  const answers: Record<string, string> = {};
  for (const [key, question] of Object.entries(QUESTIONS))
    answers[key] = await ask(call, question, answers.code ?? '');

  // The loop above has asked every question.
  const text = toFile(answers as Answers);
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

async function ask(call: CommandCall, question: Question, codePath: string): Promise<string> {
  const { output } = call;
  const usual = typeof question.usual === 'function' ? question.usual(codePath) : question.usual;
  const hint = usual === undefined ? '' : ` ${output.noteStyle('dim', `[${usual}]`)}`;

  for (let blanks = 0; blanks < MOST_BLANKS; blanks += 1) {
    output.ask(`${question.ask}${hint} `);
    const answer = await call.readLine();
    if (answer === null)
      throw new CommandFailure('Standard input ended before all questions were answered.');
    if (answer !== '') return answer;
    if (usual !== undefined) return usual;
    output.note(`An answer is required, such as ${question.example}.`);
  }
  throw new CommandFailure('A required question was left blank three times.');
}

/**
 * Returns the path of another of the ready-made pages. Null: the code has a page of the app.
 *
 * @example toOwnPage('/shop/second-factor/code', 'cancel') is '/shop/second-factor/cancel'.
 */
function toOwnPage(codePath: string, name: string): string | null {
  const [, folder] = /^(.*\/second-factor\/)code$/.exec(codePath) ?? [];
  return folder === undefined ? null : `${folder}${name}`;
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
  const cancel = toOwnPage(answers.code, 'cancel') ?? '-';
  const stepUp = toOwnPage(answers.code, 'step-up');

  const description = {
    users,
    login: { path: answers.login, ...(answers.page !== '-' && { page: answers.page }) },
    code: { path: answers.code },
    guarded: guarded.filter((path) => path !== ''),
    ...(isJson && { jsonForms: true }),
    logout: toRequest(answers.logout, page),
    resend: toRequest(answers.resend, answers.code),
    cancel: toRequest(cancel, answers.code),
    stepUp: stepUp === null ? undefined : { path: stepUp, code: { path: answers.code } },
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}
