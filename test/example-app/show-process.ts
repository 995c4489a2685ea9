import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { PROCESS_HEADER } from './process-header';

// Loaded before the app, in each of its processes.
subscribe('http.server.request.start', (message) => {
  // What Node's documentation says of this channel.
  const { response } = message as { response: ServerResponse };
  response.setHeader(PROCESS_HEADER, process.pid);
});
