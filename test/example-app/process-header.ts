/** Names the process that answers. The app knows nothing of it: see `show-process.ts`. */
export const PROCESS_HEADER = 'x-process-id';
