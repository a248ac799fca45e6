/** Reads the guide from the running catalogue. Loaded with the first call. */

import type { Transport } from '@connectrpc/connect';
import type { MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';
import { getMeditationGuide } from '@/gen/catalogue/v1/get_meditation_guide_read';
import { connectGet, connectGetOr } from '@/lib/connect-get';
import { importWithRetry } from '@/lib/import-with-retry';

async function plainGuide(signal: AbortSignal): Promise<MeditationGuide> {
  const answer = await connectGet(getMeditationGuide, { signal });
  if (!answer.guide) throw new Error('The answer holds no guide.');
  return answer.guide;
}

export function fetchGuide(transport: Transport, signal: AbortSignal): Promise<MeditationGuide> {
  const ask = async () =>
    (await importWithRetry(() => import('./connect-guide'))).askGuide(transport, signal);
  return connectGetOr(plainGuide(signal), ask, signal);
}
