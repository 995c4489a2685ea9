'use strict';

const { createHash } = require('node:crypto');
const { createTransformer } = require('@swc/jest');

/** Compiles like `@swc/jest`, with the fault that `ORDERS_FAULT` describes put into its file. */
const { file, from, to } = JSON.parse(process.env.ORDERS_FAULT ?? '{}');

module.exports = {
  createTransformer(options) {
    const inner = createTransformer(options);
    return {
      process: (source, path, ...rest) => inner.process(insertFault(source, path), path, ...rest),
      getCacheKey: (source, path, ...rest) =>
        createHash('sha256')
          .update(inner.getCacheKey(insertFault(source, path), path, ...rest))
          .digest('hex'),
    };
  },
};

function insertFault(source, path) {
  if (file === undefined || !path.replaceAll('\\', '/').endsWith(`/src/${file}`)) return source;
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`the place of the fault is not there once, but ${parts.length - 1} times`);
  return parts.join(to);
}
