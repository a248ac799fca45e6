/** Reads the guide from the running catalogue. Loaded with the first call. */

import type { Transport } from '@connectrpc/connect';
import type {
  GetMeditationGuideResponse,
  MeditationGuide,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import { connectGet, connectGetOr, type Shape } from '@/lib/connect-get';
import { importWithRetry } from '@/lib/import-with-retry';

/** The answer's zero values; fetch-guide.test.ts holds them to the contract. */
export const GUIDE_ANSWER: Shape<GetMeditationGuideResponse> = {
  guide: {
    title: '',
    introduction: [''],
    steps: [{ title: '', minutes: 0, paragraphs: [''] }],
    closing: [''],
    minutes: 0,
  },
};

async function plainGuide(signal: AbortSignal): Promise<MeditationGuide> {
  const method = 'catalogue.v1.CatalogueService/GetMeditationGuide';
  const answer = await connectGet<GetMeditationGuideResponse>(method, GUIDE_ANSWER, { signal });
  if (!answer.guide) throw new Error('The answer holds no guide.');
  return answer.guide;
}

export function fetchGuide(transport: Transport, signal: AbortSignal): Promise<MeditationGuide> {
  const ask = async () =>
    (await importWithRetry(() => import('./connect-guide'))).askGuide(transport, signal);
  return connectGetOr(plainGuide(signal), ask, signal);
}
