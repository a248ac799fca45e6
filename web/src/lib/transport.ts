/**
 * The one transport. It has the shape of a Connect transport and loads the runtime with the first
 * call, so that pages which call nothing do not carry it.
 */

import type { Transport } from '@connectrpc/connect';
import { importWithRetry } from './import-with-retry';

async function load(): Promise<Transport> {
  const { connectTransport } = await importWithRetry(() => import('./connect-transport'));
  return connectTransport;
}

export const transport: Transport = {
  async unary(...call) {
    return (await load()).unary(...call);
  },
  async stream(...call) {
    return (await load()).stream(...call);
  },
};
