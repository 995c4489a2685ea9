import { join, relative } from 'node:path';
import { Eta } from 'eta';
import type { Express, NextFunction, Request, Response } from 'express';

const VIEWS = join(__dirname, 'views');

/** `res.render('name', data)` renders `views/name.eta`; the output of `<%= %>` is escaped. */
export function addViews(app: Express, cache: boolean): void {
  const eta = new Eta({ views: VIEWS, cache });
  app.engine('eta', (path, data, done) => {
    try {
      done(null, eta.render(`/${relative(VIEWS, path)}`, data));
    } catch (error) {
      done(error);
    }
  });
  app.set('views', VIEWS);
  app.set('view engine', 'eta');
}

/** Sets the variables of every page. A page without a form needs no token, so it creates no session. */
export function fillLocals(req: Request, res: Response, next: NextFunction): void {
  res.locals.user = req.user ?? null;
  res.locals.csrfToken = () => req.csrfToken?.();
  next();
}
