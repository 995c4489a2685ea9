import { parseNumber } from '../../limits/parse-number';
import { readPhoneLibraryVersion } from '../../limits/number-country';
import { type Command, type CommandCall, type ExitCode } from '../command';
import { CommandFailure, WrongUsage } from '../failures';
import { readLines } from '../read-lines';

export const numbers: Command = {
  name: 'numbers',
  summary: 'read stored numbers from standard input and propose their E.164 form; free',
  options: {
    country: { value: '<code>', help: 'the country of national forms, such as US' },
  },
  notes: [
    'Nothing is changed. Each input line gives one output line of three columns, with tabs:',
    '  ok, the number, nothing      proposal, the number, its E.164 form',
    '  cannot-tell, the number, why       empty, nothing, nothing',
    'The exit code is 0 when nothing is left to change, otherwise 1:',
    '  numbers --country US < numbers.txt > proposals.tsv',
  ],
  async run(call) {
    const country = await readCountry(call);
    if (call.io.stdin.isTTY === true)
      throw new WrongUsage('numbers reads standard input: numbers < numbers.txt');
    const counts = await proposeAll(call, country);
    if (counts.lines === 0) throw new CommandFailure('The input is empty.');
    return showCounts(call.output, counts);
  },
};

/** @throws {WrongUsage} for a country code that does not exist. */
async function readCountry(call: CommandCall): Promise<string | undefined> {
  const country = call.args.text('country')?.toUpperCase();

  try {
    // The digits do not matter: the parser throws for a country that it does not know.
    await parseNumber('000', country);
  } catch {
    throw new WrongUsage('--country must be an ISO 3166-1 code such as US');
  }

  return country;
}

type NumberVerdict = 'ok' | 'proposal' | 'cannot-tell' | 'empty';

interface Judgement {
  readonly verdict: NumberVerdict;
  /** The E.164 form, or the reason why there is none. */
  readonly detail: string;
  readonly mobile?: string;
}

interface Counts {
  readonly lines: number;
  readonly verdicts: ReadonlyMap<NumberVerdict, number>;
  /** Numbers that also stand in an earlier line, in any form. */
  readonly repeated: number;
  /** Numbers among `cannot-tell` that may be good: libphonenumber does not know their range. */
  readonly unknownRanges: number;
}

/** Writes a line of output for each line of the input. */
async function proposeAll(call: CommandCall, country: string | undefined): Promise<Counts> {
  const verdicts = new Map<NumberVerdict, number>();
  const mobiles = new Set<string>();
  let [lines, repeated, unknownRanges] = [0, 0, 0];

  for await (const line of readLines(call.io.stdin)) {
    call.io.signal.throwIfAborted();
    lines += 1;
    // trim() also removes a byte order mark and the CR of a CRLF.
    const text = line.trim();
    const { verdict, detail, mobile } = await judge(text, country);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    if (detail === REASONS['unknown-range']) unknownRanges += 1;
    if (mobile !== undefined && mobiles.has(mobile)) repeated += 1;
    if (mobile !== undefined) mobiles.add(mobile);
    call.output.line(verdict, text, detail);
  }

  return { lines, verdicts, repeated, unknownRanges };
}

/** Classifies a stored number as an enrollment would classify a typed one. */
async function judge(text: string, country: string | undefined): Promise<Judgement> {
  if (text === '') return { verdict: 'empty', detail: '' };
  const parsed = await parseNumber(text, country);
  if (parsed.kind === 'refused') {
    const isNational = country === undefined && !text.startsWith('+') && /[0-9]/.test(text);
    const reason = isNational ? 'no-country' : parsed.reason;
    return { verdict: 'cannot-tell', detail: REASONS[reason] };
  }

  const { mobile } = parsed;
  if (mobile === text) return { verdict: 'ok', detail: '', mobile };
  return { verdict: 'proposal', detail: mobile, mobile };
}

const REASONS = {
  'malformed-phone': 'no such number',
  'unsuitable-phone': 'a landline, or a number that charges its callers',
  'unknown-range': `a range that libphonenumber-js ${readPhoneLibraryVersion()} does not know`,
  'no-country': 'no plus: name the country of such numbers with --country',
} as const;

const SUMMARY: readonly (readonly [NumberVerdict, string])[] = [
  ['ok', 'E.164 already'],
  ['proposal', 'written in another form: check them, then store the third column'],
  ['cannot-tell', 'ask the user'],
  ['empty', ''],
];

/** Shows the counts on standard error. Returns 0 if there is nothing left to change. */
function showCounts(output: CommandCall['output'], counts: Counts): ExitCode {
  const { verdicts } = counts;
  const show = (name: string, count: number, text: string): void => {
    const label = output.noteStyle('dim', name.padEnd(12));
    if (count > 0) output.note(`${label}${String(count).padStart(7)}  ${text}`.trimEnd());
  };

  for (const [verdict, text] of SUMMARY) show(verdict, verdicts.get(verdict) ?? 0, text);
  show(
    'unknown',
    counts.unknownRanges,
    'of these in an unknown range: they get messages only if proven',
  );
  show('repeated', counts.repeated, 'repeat an earlier line: two users may have one number');

  const isFine = !verdicts.has('proposal') && !verdicts.has('cannot-tell');
  return isFine ? 0 : 1;
}
