/** The founder's page, and that a page says the same whether it was written ahead or asked. */
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
import { look } from './support/look';
import { expect, test } from './support/test';

const QUALIFICATIONS = ['Certified Healer', '15+ Years', '500+ Clients', 'Holistic Approach'];

test('/about tells the story, the qualifications and the philosophy @phone', async ({ page }) => {
  const answer = await page.goto('/about');
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The person who listens');
  await expect(page).toHaveTitle(/^About Us/);
  const main = page.getByRole('main');
  for (const name of QUALIFICATIONS) {
    await expect(main.getByRole('heading', { level: 3, name })).toBeVisible();
  }
  await expect(main.locator('blockquote')).toHaveText(/^“.+”$/);
  await expect(main.getByRole('region', { name: /began/ }).getByRole('paragraph')).toHaveCount(6);
  await expect(main).toContainText('They are not medical treatment');
  await look(page, 'about');

  await main.getByRole('link', { name: 'Find your session' }).click();
  await expect(page).toHaveURL(/\/services$/);
});

test('the story is there before any script runs', async ({ browser, practice }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: practice.url });
  const page = await context.newPage();
  await page.goto('/about');
  for (const name of QUALIFICATIONS) {
    await expect(page.getByRole('heading', { level: 3, name })).toBeVisible();
  }
  await context.close();
});

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
