/** The Connect runtime itself; loaded by lib/transport.ts when the first call is made. */

import type { Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { accessToken } from './auth';
import { clockedFetch } from './clock';
import { RPC_BASE } from './env';
import { renewSecondStep } from './second-step-interceptor';

const authorize: Interceptor = (next) => async (request) => {
  const token = await accessToken();
  if (token) request.header.set('Authorization', `Bearer ${token}`);
  return next(request);
};

export const connectTransport = createConnectTransport({
  baseUrl: RPC_BASE,
  useHttpGet: true,
  fetch: clockedFetch,
  interceptors: [renewSecondStep, authorize],
});
