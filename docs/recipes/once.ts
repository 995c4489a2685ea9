import type { RequestHandler } from 'express';

/** A form that was submitted is not submitted again for a second. The way back ends the wait. */
const SCRIPT = `let sentAt = new WeakMap();
addEventListener('submit', (event) => {
  if (event.timeStamp - sentAt.get(event.target) < 1000) event.preventDefault();
  else sentAt.set(event.target, event.timeStamp);
});
addEventListener('pageshow', () => (sentAt = new WeakMap()));
`;

/** For every page with a form: `<script src="/once.js"></script>`. */
export const serveOnce: RequestHandler = (_req, res) => void res.type('js').send(SCRIPT);
