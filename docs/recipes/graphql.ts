import express, { type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import { buildSchema, type ExecutionResult, graphql, GraphQLError } from 'graphql';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

const schema = buildSchema(`
  type Account { id: ID! }
  type Query { time: String!  account: Account! }
  type Mutation { rename(name: String!): Account! }
`);

/** What the resolvers know of a request. Built for each request. */
interface Context {
  /** The user who has passed the second factor, or null. */
  readonly user: Express.User | null;
}

type Names = Map<string, string>;

const REFUSED = 'SECOND_FACTOR_REQUIRED';

/** Throws for a user who has not passed the second factor. Call it first in each field that needs it. */
function requireUser({ user }: Context): Express.User {
  if (user !== null) return user;
  throw new GraphQLError('The second factor is required.', { extensions: { code: REFUSED } });
}

function createFields(names: Names) {
  return {
    time: (): string => new Date().toISOString(),
    account: (_args: object, context: Context) => ({ id: requireUser(context).id }),
    rename: ({ name }: { readonly name: string }, context: Context) => {
      const { id } = requireUser(context);
      names.set(id, name);
      return { id };
    },
  };
}

export function createApp({
  users,
  gateway,
  names,
  ...secrets
}: RecipeParts & { readonly names: Names }): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: secrets.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  async function createContext(req: Request): Promise<Context> {
    await smsOtp.checkSecondFactor(req); // Asks the store: the login may have been ended elsewhere.
    return { user: smsOtp.hasSecondFactor(req) ? (req.user ?? null) : null };
  }

  const fields = createFields(names);
  const answer: RequestHandler = async (req, res) => {
    const { query, variables } = (req.body ?? {}) as Readonly<Record<string, unknown>>; // Typed as any.
    // An array of operations is no object with a query: there are no batches here.
    if (typeof query !== 'string') return void res.status(400).json({ error: 'no-query' });
    const contextValue = await createContext(req);
    const variableValues = isObject(variables) ? variables : null;
    const result = await graphql({
      ...{ schema, source: query, rootValue: fields },
      ...{ contextValue, variableValues },
    });
    res.status(isRefused(result) ? 403 : 200).json(result);
  };

  const app = express();
  // JSON alone: a page of another site cannot send it without CORS, which this app does not allow.
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: secrets.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  // The login stays outside the graph: one request is one password or one code.
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  app.post('/logout', smsOtp.logout(), (_req, res) => void res.sendStatus(204));
  app.post('/graphql', requireJson, answer);
  return app;
}

const requireJson: RequestHandler = (req, res, next) => {
  if (typeof req.is('application/json') !== 'string') return void res.sendStatus(415);
  next();
};

/** Whether nothing is answered, for want of the second factor. */
function isRefused({ data, errors = [] }: ExecutionResult): boolean {
  return data === null && errors.some(({ extensions }) => extensions.code === REFUSED);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
