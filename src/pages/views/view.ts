import type { Html } from '../html';

/** What a view makes of its page: the title, and what stands between header and footer. */
export interface View {
  readonly title: string;
  readonly body: Html;
  /** Uses the whole width. */
  readonly isWide?: boolean;
}
