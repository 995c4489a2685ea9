import type { Request, Response } from 'express';
import type { PagesContext } from './context';
import type { Look, MessagePage, Page } from './page';
import { describeFrame, requireString, withNotice } from './context';
import { renderBody, renderPage } from './render';

/** Answers with a page. */
export function show(
  context: PagesContext,
  req: Request,
  res: Response,
  page: Page,
  status = 200,
): void {
  res
    .status(status)
    .type('html')
    .send(render(context, req, page));
}

/** Answers with a page that has one message and a link. */
export function showMessage(
  context: PagesContext,
  req: Request,
  res: Response,
  content: Pick<MessagePage, 'message' | 'link'> & { readonly status?: number },
): void {
  const { message, link } = content;
  // Only the end of a login has a reason worth a notice.
  const base = message === 'ended' ? withNotice(context, req) : describeFrame(context, req);
  show(context, req, res, { ...base, name: 'message', message, link }, content.status);
}

function render(context: PagesContext, req: Request, page: Page): string {
  const { options } = context;
  const { logo = null, accent = null, stylesheet = null, help = null } = options;
  const texts = options.texts?.[page.locale];
  const look: Look = { logo, accent, stylesheet, help, ...(texts && { texts }) };

  // The replacement under a name takes the page of that name, which the compiler cannot follow.
  const replacement = options.replace?.[page.name] as
    | ((page: Page, req: Request) => string)
    | undefined;
  const body = replacement && requireString(`replace.${page.name}`, replacement(page, req));

  if (options.layout === undefined) return renderPage(page, look, body);
  const own = renderBody(page, look);
  const document = options.layout({ title: own.title, body: body ?? own.body, page }, req);
  return requireString('layout', document);
}
