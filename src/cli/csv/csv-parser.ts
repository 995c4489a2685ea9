/** One record of a CSV file (RFC 4180). */
export interface CsvRecord {
  /** The line it begins on, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
  /** True when it is longer than a record can sensibly be, or its last quotation mark is missing: the fields are no good. */
  readonly isBroken: boolean;
}

/** Characters that a record may have; what goes beyond is passed over without being kept. */
const MOST_CHARACTERS = 65_536;

/**
 * Takes a CSV file apart as it arrives: quoted fields, line breaks of any kind, a byte order mark. Lines without anything
 * on them are left out.
 */
export class CsvParser {
  #place: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  #fields: string[] = [];
  #field = '';
  #size = 0;
  #line = 1;
  #firstLine = 1;
  #isFirst = true;
  #isAfterReturn = false;

  /** The records that this piece completes. */
  push(piece: string): CsvRecord[] {
    const text = this.#isFirst ? piece.replace(/^\uFEFF/, '') : piece;
    this.#isFirst &&= piece === '';
    const records: CsvRecord[] = [];
    for (const character of text) {
      const isSecondHalf = this.#isAfterReturn && character === '\n';
      this.#isAfterReturn = character === '\r';
      if (isSecondHalf) continue;
      const isBreak = character === '\n' || character === '\r';
      if (isBreak) this.#line += 1;
      if (isBreak && this.#place !== 'quoted') records.push(...this.#endRecord());
      else this.#take(isBreak ? '\n' : character);
    }
    return records;
  }

  /** What is left when the file is over. */
  end(): CsvRecord[] {
    return this.#endRecord();
  }

  #take(character: string): void {
    this.#size += 1;
    if (this.#place === 'quoted') {
      if (character === '"') this.#place = 'closing';
      else this.#keep(character);
    } else if (character === ',') this.#endField();
    else if (character === '"' && this.#place !== 'plain') {
      // A mark right after a closing one stands for itself.
      if (this.#place === 'closing') this.#keep('"');
      this.#place = 'quoted';
    } else {
      this.#place = 'plain';
      this.#keep(character);
    }
  }

  #keep(character: string): void {
    if (this.#size <= MOST_CHARACTERS) this.#field += character;
  }

  #endField(): void {
    if (this.#size <= MOST_CHARACTERS) this.#fields.push(this.#field);
    this.#field = '';
    this.#place = 'start';
  }

  #endRecord(): CsvRecord[] {
    const isBroken = this.#place === 'quoted' || this.#size > MOST_CHARACTERS;
    const isEmpty = this.#size === 0;
    this.#endField();
    const record = { line: this.#firstLine, fields: this.#fields, isBroken };
    this.#fields = [];
    this.#size = 0;
    this.#firstLine = this.#line;
    return isEmpty ? [] : [record];
  }
}
