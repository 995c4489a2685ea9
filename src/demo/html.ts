/** A string that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** Builds HTML. Every value is escaped, except HTML that was built the same way. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html)[]
): Html {
  const escaped = values.map((value) =>
    value instanceof Html ? value.text : escape(String(value)),
  );
  return new Html(String.raw({ raw: parts }, ...escaped));
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns a form with one button. */
export function form(action: string, button: string, fields = html``): Html {
  return html`<form method="post" action="${action}">${fields}<button>${button}</button></form>`;
}

/** Returns a whole page. @param notice Why the last form was refused; empty: it was not. */
export function page(title: string, content: Html, notice = ''): string {
  const alert = notice === '' ? html`` : html`<p role="alert">${notice}</p>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="/demo.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${alert}${content}
        </main>
      </body>
    </html>`.text;
}

export const STYLE = `body { font: 1.0625rem/1.5 system-ui, sans-serif; max-width: 24rem }
body { margin: 12vh auto; padding: 0 1.25rem }
label { display: block; font-weight: 600; margin-top: 1rem }
input, button { font: inherit; width: 100%; box-sizing: border-box; margin-top: .375rem }
input, button { padding: .625rem .75rem; border: 1px solid #7c929c; border-radius: 8px }
button { background: #0b5563; color: #fff; font-weight: 600; margin-top: 1rem }
[role=alert] { border-inline-start: 4px solid #d1453b; padding-inline-start: .75rem }
`;
