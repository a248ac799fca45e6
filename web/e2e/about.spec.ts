/** A page says the same whether it was written ahead or asked for. */
import { toJson } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import {
  CatalogueService,
  FaqGroupSchema,
  FaqSchema,
  PackageSchema,
  PracticeSchema,
  QuizAreaSchema,
  ServiceSchema,
} from '../src/gen/catalogue/v1/catalogue_service_pb';
import { readPracticeFiles } from '../src/prerender/practice-files';
import { expect, plainTest as test } from './support/test';

test('the catalogue serves what the pages were written with', async ({ practice }) => {
  const written = readPracticeFiles('../deploy/local/practice');
  const transport = createConnectTransport({ baseUrl: `${practice.url}/rpc` });
  const catalogue = createClient(CatalogueService, transport);

  const { practice: served } = await catalogue.getPractice({});
  if (!served) throw new Error('The answer holds no practice.');
  expect(served.about?.story.length).toBeGreaterThan(2);
  expect(toJson(PracticeSchema, served)).toEqual(toJson(PracticeSchema, written.practice));

  const offer = await catalogue.listServices({});
  expect(offer.services.map((one) => toJson(ServiceSchema, one))).toEqual(
    written.services.map((one) => toJson(ServiceSchema, one)),
  );
  expect(offer.packages.map((one) => toJson(PackageSchema, one))).toEqual(
    written.packages.map((one) => toJson(PackageSchema, one)),
  );
  const { areas } = await catalogue.listQuizAreas({});
  expect(areas.map((one) => toJson(QuizAreaSchema, one))).toEqual(
    written.quizAreas.map((one) => toJson(QuizAreaSchema, one)),
  );
  const faqs = await catalogue.listFaqs({});
  expect(faqs.groups.map((one) => toJson(FaqGroupSchema, one))).toEqual(
    written.faqGroups.map((one) => toJson(FaqGroupSchema, one)),
  );
  expect(faqs.quickAnswers.map((one) => toJson(FaqSchema, one))).toEqual(
    written.quickAnswers.map((one) => toJson(FaqSchema, one)),
  );
});
