import type { Purpose } from '../stores/store';

/** What a text is for. `short-transaction` stands in where `transaction` leaves too little room for the payee. */
export type TextKind = Purpose | 'short-transaction';

/**
 * The texts of one locale. `{app}` is the opening, `{min}` whole minutes (2 to 10), `{amount}` and `{payee}` belong to
 * transactions. Every text reads well without the opening.
 */
export interface LocaleTexts {
  /** What `{app}` becomes when the app has a name, with `{name}` for it; nothing when it has none. */
  readonly opening: string;
  /** The same for `bound`, where the words differ: with a name, and without. */
  readonly boundOpening?: { readonly named: string; readonly unnamed: string };
  /** With the code in the sentence, as `[PIN]`. */
  readonly plain: Readonly<Record<TextKind, string>>;
  /** In front of the origin-bound last line, which holds the code. */
  readonly bound: Readonly<Record<TextKind, string>>;
}
