/** Fetches what a snapshot holds from the running catalogue; loaded when the page is idle. */
import { getPractice } from '@/gen/catalogue/v1/get_practice_read';
import { listFaqs } from '@/gen/catalogue/v1/list_faqs_read';
import { listQuizAreas } from '@/gen/catalogue/v1/list_quiz_areas_read';
import { listServices } from '@/gen/catalogue/v1/list_services_read';
import { connectGet } from './connect-get';
import type { Snapshot } from './snapshot';

/**
 * An answer that the browser kept may be older than this document, and would put an older price
 * over a newer one. What has not changed comes as 304.
 */
const ASKED_ANEW = { cache: 'no-cache' } as const;

export async function fetchSnapshot(): Promise<Snapshot | undefined> {
  const [{ practice }, offer, { areas }, { groups, quickAnswers }] = await Promise.all([
    connectGet(getPractice, ASKED_ANEW),
    connectGet(listServices, ASKED_ANEW),
    connectGet(listQuizAreas, ASKED_ANEW),
    connectGet(listFaqs, ASKED_ANEW),
  ]);
  const { services, packages, consultation } = offer;
  if (!practice || services.length === 0) return undefined;
  const content = { practice, services, packages, consultation };
  return { ...content, quizAreas: areas, faqGroups: groups, quickAnswers };
}
