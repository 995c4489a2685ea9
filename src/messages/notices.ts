import notices = require('./notices.json');

/** The sentences of each locale, by reason, and how they end when another try makes sense later. */
export const NOTICES = notices;
