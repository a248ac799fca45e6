/** The guide by Connect itself, which says what is wrong. Loaded when the plain read fails. */
import { createClient, type Transport } from '@connectrpc/connect';
import { CatalogueService, type MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';
import { describeError } from '@/lib/errors';
import { GuideError } from '../guide-error';

export async function askGuide(
  transport: Transport,
  signal: AbortSignal,
): Promise<MeditationGuide> {
  const client = createClient(CatalogueService, transport);
  try {
    const { guide } = await client.getMeditationGuide({}, { signal });
    if (guide) return guide;
    throw new Error('The answer holds no guide.');
  } catch (error) {
    const { message, code, referenceId } = describeError(error);
    throw new GuideError(message, code, referenceId);
  }
}
