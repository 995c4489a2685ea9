import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The sockets of one client. Closing a pool leaves those to themselves that are still connecting; here they are known. */
export class OpenSockets {
  readonly #sockets = new Set<Socket>();

  /** The same connector, with every socket it opens remembered until it closes. */
  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // It gives the socket back, though its type does not say so.
      const socket: unknown = connect(options, callback);
      if (!(socket instanceof Socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
