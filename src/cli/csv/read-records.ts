import { createReadStream } from 'node:fs';
import { toFileFailure } from '../line/read-values';
import { CsvParser, type CsvRecord } from './csv-parser';

/** The records of a file, one after the other. @throws {CommandFailure} when it cannot be read. */
export async function* readRecords(path: string): AsyncGenerator<CsvRecord> {
  const parser = new CsvParser();
  const chunks: AsyncIterable<string> = createReadStream(path, 'utf8');
  try {
    for await (const chunk of chunks) yield* parser.push(chunk);
  } catch (error) {
    throw toFileFailure('read', error);
  }
  yield* parser.end();
}
