/**
 * Takes the place of connect-query's own file of this purpose (see vite.config.ts). That one makes
 * an unused error at load, and with it loads the protobuf runtime into every page.
 */
import type { Transport } from '@connectrpc/connect';
import { createContext, type ReactNode, useContext } from 'react';

function missing(): never {
  throw new Error('TransportProvider is missing.');
}

const fallbackTransport: Transport = { unary: missing, stream: missing };

const TransportContext = createContext(fallbackTransport);

export function useTransport(): Transport {
  return useContext(TransportContext);
}

type TransportProviderProps = { transport: Transport; children: ReactNode };

export function TransportProvider({ transport, children }: TransportProviderProps) {
  return <TransportContext value={transport}>{children}</TransportContext>;
}
