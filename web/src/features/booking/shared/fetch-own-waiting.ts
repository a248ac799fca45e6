/** Its code is loaded when a wait list is read: most who book wait for nothing. */
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';
import { type Waiting, WaitingService } from '@/gen/booking/v1/waiting_service_pb';

/** What the client waits for, soonest joined first. */
export async function fetchOwnWaiting(
  transport: Transport,
  options: CallOptions,
): Promise<Waiting[]> {
  const { waiting } = await createClient(WaitingService, transport).listOwnWaiting({}, options);
  return waiting;
}
