const { builtinRules } = require('eslint/use-at-your-own-risk');

/**
 * Two rules of ESLint that limit the size of a function, each with ceilings for the functions that
 * are larger: `{ "<file>": { "<function>": <present size> } }`. A ceiling may only fall: one that
 * is higher than its function needs is reported, too.
 */
exports.rules = {
  'own-lines': defineLimit('lines of its own', listenForOwnLines),
  complexity: defineLimit('ways through it (complexity)', listenForComplexity),
};

/**
 * A line is a function's own when a word of the function stands on it that belongs to no function
 * inside it; blank lines and comments never count. `max-lines-per-function` counts inner functions
 * too, and would forbid every function that makes others.
 */
function listenForOwnLines({ sourceCode }, report) {
  const functions = 'FunctionDeclaration, FunctionExpression, ArrowFunctionExpression';
  const insideOf = [];
  return {
    [functions]: () => insideOf.push([]),
    [`:matches(${functions}):exit`]: (node) => {
      report(node, countOwnLines(sourceCode.getTokens(node), insideOf.pop()));
      insideOf.at(-1)?.push(node.range);
    },
  };
}

/** @param ranges where the functions inside it begin and end. */
function countOwnLines(tokens, ranges) {
  const lines = new Set();
  for (const { range, loc } of tokens) {
    if (ranges.some(([start, end]) => start <= range[0] && range[1] <= end)) continue;
    for (let line = loc.start.line; line <= loc.end.line; line += 1) lines.add(line);
  }
  return lines.size;
}

/** ESLint's own rule counts; asked for at most 0, it reports every function with its complexity. */
function listenForComplexity(context, report) {
  const counting = Object.create(context, {
    options: { value: [0] },
    report: { value: ({ node, data }) => report(node, data.complexity) },
  });
  return builtinRules.get('complexity').create(counting);
}

function defineLimit(what, listen) {
  return { meta: describeLimit(what), create: (context) => listenWithCeilings(context, listen) };
}

function listenWithCeilings(context, listen) {
  const [{ most, ceilings = {} }] = context.options;
  const own = ceilings[toPath(context)] ?? {};
  const unneeded = new Set(Object.keys(own));
  const listeners = listen(context, (node, size) => {
    if (size <= most) return;
    const name = nameOf(node);
    unneeded.delete(name);
    const ceiling = own[name] ?? most;
    const messageId = size > ceiling ? 'tooLarge' : 'mayFall';
    if (size !== ceiling) context.report({ node, messageId, data: { name, size, ceiling } });
  });
  return {
    ...listeners,
    'Program:exit': (node) => {
      for (const name of unneeded) context.report({ node, messageId: 'unneeded', data: { name } });
    },
  };
}

function describeLimit(what) {
  const sizes = { type: 'object', additionalProperties: { type: 'integer' } };
  return {
    type: 'suggestion',
    docs: { description: `limits the ${what} of a function` },
    schema: [
      {
        type: 'object',
        properties: {
          most: { type: 'integer' },
          ceilings: { type: 'object', additionalProperties: sizes },
        },
        required: ['most'],
        additionalProperties: false,
      },
    ],
    messages: {
      tooLarge: `{{name}} has {{size}} ${what}, at most {{ceiling}} are allowed.`,
      mayFall: `{{name}} has {{size}} ${what}: lower its ceiling of {{ceiling}} to that.`,
      unneeded: `{{name}} needs no ceiling for its ${what}: remove it.`,
    },
  };
}

/** The name by which people look for it: its own, or that of what it is given to. */
function nameOf({ id, parent }) {
  const named = id ?? parent?.id ?? parent?.key ?? parent?.left;
  return named?.name ?? named?.value ?? 'a function without a name';
}

/** From the top of the repository, with slashes. */
function toPath({ cwd, filename }) {
  return filename.slice(cwd.length + 1).replaceAll('\\', '/');
}
