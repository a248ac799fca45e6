/** An address of the booking flow that names no service of ours. */
import { Code, createRouterTransport } from '@connectrpc/connect';
import { beforeEach, expect, test, vi } from 'vitest';
import { CatalogueService } from '@/gen/catalogue/v1/catalogue_service_pb';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';

const went = vi.hoisted(() => vi.fn());

vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: 'signed-out', user: undefined }) }));
vi.mock('@/lib/use-go', () => ({ useGo: () => went }));

beforeEach(() => went.mockReset());

const transport = createRouterTransport(({ service }) =>
  service(CatalogueService, {
    getService: () => {
      throw refusal(Code.NotFound, 'SERVICE_NOT_FOUND');
    },
  }),
);

test.each(['/booking-flow?service=levitation', '/booking-flow'])(
  '%s leads to the services, and Back does not lead to it again',
  async (path) => {
    renderApp(<BookingFlowPage />, { path, transport });
    await vi.waitFor(() => expect(went).toHaveBeenCalledWith('/services', { replace: true }));
  },
);
