import type { GatewayEvent, GatewayEventListener } from './events';

/** Passes events on. A listener that throws, rejects or never ends changes nothing for the client. */
export class EventHub {
  readonly #listeners = new Set<{ readonly hear: GatewayEventListener }>();

  constructor(first: GatewayEventListener | undefined) {
    if (first !== undefined) this.subscribe(first);
  }

  /** False when an event need not even be made. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener; the function returned takes it away again. */
  subscribe(hear: GatewayEventListener): () => void {
    const entry = { hear };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: GatewayEvent): void {
    for (const { hear } of this.#listeners) {
      try {
        const heard: unknown = hear(event);
        if (heard instanceof Promise) heard.catch(ignore);
      } catch {
        // A listener is the application's: its failure is not the gateway's, and there is nobody to tell.
      }
    }
  }
}

function ignore(): void {
  // As above: the rejection of a listener belongs to the application.
}
