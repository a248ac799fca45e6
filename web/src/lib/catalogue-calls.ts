/** Fetches what a snapshot holds from the running catalogue; loaded when the page is idle. */
import type {
  GetPracticeResponse,
  ListFaqsResponse,
  ListQuizAreasResponse,
  ListServicesResponse,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import { FAQS_ANSWER, PRACTICE_ANSWER, QUIZ_ANSWER, SERVICES_ANSWER } from './catalogue-shapes';
import { connectGet } from './connect-get';
import type { Snapshot } from './snapshot';

const CATALOGUE = 'catalogue.v1.CatalogueService';
/**
 * An answer that the browser kept may be older than this document, and would put an older price
 * over a newer one. What has not changed comes as 304.
 */
const ASKED_ANEW = { cache: 'no-cache' } as const;

export async function fetchSnapshot(): Promise<Snapshot | undefined> {
  const [{ practice }, offer, { areas }, { groups, quickAnswers }] = await Promise.all([
    connectGet<GetPracticeResponse>(`${CATALOGUE}/GetPractice`, PRACTICE_ANSWER, ASKED_ANEW),
    connectGet<ListServicesResponse>(`${CATALOGUE}/ListServices`, SERVICES_ANSWER, ASKED_ANEW),
    connectGet<ListQuizAreasResponse>(`${CATALOGUE}/ListQuizAreas`, QUIZ_ANSWER, ASKED_ANEW),
    connectGet<ListFaqsResponse>(`${CATALOGUE}/ListFaqs`, FAQS_ANSWER, ASKED_ANEW),
  ]);
  const { services, packages, consultation } = offer;
  if (!practice || services.length === 0) return undefined;
  const content = { practice, services, packages, consultation };
  return { ...content, quizAreas: areas, faqGroups: groups, quickAnswers };
}
