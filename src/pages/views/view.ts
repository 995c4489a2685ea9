import type { Html } from '../html';

/** The title of a page, and its content between header and footer. */
export interface View {
  readonly title: string;
  readonly body: Html;
  /** Uses the whole width. */
  readonly isWide?: boolean;
}
