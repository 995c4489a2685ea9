import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from '../../services/service';

/**
 * A way to a server that can be shut: then connections are refused, as by a machine whose program
 * has died.
 */
export interface Gate {
  readonly port: number;
  /** Leads to this port from now on. */
  leadTo(port: number): void;
  /** Ends every connection and refuses new ones. */
  shut(): Promise<void>;
  /** On the same port as before. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export async function openGate(): Promise<Gate> {
  let target = 0;
  const sockets = new Set<Socket>();
  const pass = (socket: Socket): void => {
    const onward = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      // A reset on one side is a reset on the other, unless that one is ending: Node cannot reset
      // it, and would keep it open.
      one.once('error', () => (other.writableEnded ? other.destroy() : other.resetAndDestroy()));
      one.once('close', () => {
        sockets.delete(one);
        other.destroySoon();
      });
    }
    socket.pipe(onward).pipe(socket);
  };
  // While it is shut no connection of this machine may begin at its port.
  const port = await findFreePort();
  let server = await listen(pass, port);

  async function shut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  return {
    port,
    leadTo: (next) => {
      target = next;
    },
    shut,
    reopen: async () => {
      if (!server.listening) server = await listen(pass, port);
    },
    close: shut,
  };
}

async function listen(pass: (socket: Socket) => void, port: number): Promise<Server> {
  const server = createServer(pass).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
