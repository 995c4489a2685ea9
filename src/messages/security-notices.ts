import notices = require('./security-notices.json');

/** What the emails about changes of an account say in each locale. */
export const SECURITY_NOTICES = notices;
