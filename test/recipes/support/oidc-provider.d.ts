/** As far as the recipes and their tests use it: the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export type ClientMetadata = Readonly<Record<string, unknown>>;

  /** What a client asks the user for. */
  export interface Interaction {
    readonly uid: string;
    readonly params: {
      readonly claims?: string;
      readonly acr_values?: string;
      readonly max_age?: string | number;
    };
    readonly prompt: { readonly name: string; readonly reasons: readonly string[] };
  }

  interface Context {
    readonly req: IncomingMessage;
    readonly oidc: {
      readonly params: Interaction['params'];
      readonly acr?: string;
      readonly result?: { readonly login?: object };
      readonly client: { readonly clientId: string };
      readonly session: {
        readonly accountId: string;
        grantIdFor(clientId: string): string | undefined;
      };
    };
  }

  /** Of a middleware: `oidc` is missing on paths that are not the provider's. */
  interface KoaContext {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly status: number;
    readonly oidc?: {
      readonly route: string;
      readonly params?: { readonly logout?: string };
      readonly session?: { readonly accountId: string };
    };
  }

  interface Account {
    readonly accountId: string;
    claims(): object;
  }

  interface Configuration {
    readonly findAccount?: (
      context: unknown,
      id: string,
    ) => Account | null | Promise<Account | null>;
    readonly loadExistingGrant?: (context: Context) => Promise<Grant>;
    readonly interactions?: {
      readonly policy: ReturnType<typeof interactionPolicy.base>;
      url(context: unknown, interaction: Interaction): string;
    };
    readonly [option: string]: unknown;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  type InteractionResult = { readonly login: object } | { readonly error: string };

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: {
      new (of: { clientId: string; accountId: string }): Grant;
      find(grantId: string): Promise<Grant | undefined>;
    };
    callback(): RequestListener;
    use(middleware: (context: KoaContext, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>;
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: InteractionResult,
    ): Promise<void>;
  }

  export namespace interactionPolicy {
    class Check {
      readonly reason: string;
      constructor(
        reason: string,
        description: string,
        check: (context: Context) => boolean | Promise<boolean>,
      );
    }
    function base(): {
      remove(prompt: string): void;
      get(prompt: string): { readonly checks: { add(check: Check): void } } | undefined;
    };
  }
}
