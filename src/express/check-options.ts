/** The options of a middleware by their names, each with the type it must have. */
export type OptionTypes = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'function'>>;

/** Where to go: the options every middleware shares. */
export const REDIRECT_TYPES: OptionTypes = { successRedirect: 'string', failureRedirect: 'string' };

/**
 * Checks the options of a middleware when it is made: a misspelt `maxAgeSeconds` would leave a door open.
 * @throws {TypeError} that names the option.
 */
export function checkOptions(middleware: string, options: object, types: OptionTypes): void {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw new TypeError(`${middleware}: unknown option ${name}`);
    if (value !== undefined && typeof value !== type) {
      throw new TypeError(`${middleware}: ${name} must be a ${type}`);
    }
  }
}
