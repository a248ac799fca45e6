import { expect, test } from 'vitest';
import {
  GetPracticeResponseSchema,
  ListFaqsResponseSchema,
  ListQuizAreasResponseSchema,
  ListServicesResponseSchema,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import { practiceFixture } from '@/testing/practice-fixture';
import { expectSame, expectShape } from '@/testing/shape-check';
import { FAQS_ANSWER, PRACTICE_ANSWER, QUIZ_ANSWER, SERVICES_ANSWER } from './catalogue-shapes';

const { practice, services, packages, consultation, ...rest } = practiceFixture();
const { quizAreas, faqGroups, quickAnswers } = rest;

test('what the catalogue answers is read as the contract writes it', () => {
  expect(services).toHaveLength(7);
  expectShape(GetPracticeResponseSchema, PRACTICE_ANSWER, { practice });
  expectShape(ListServicesResponseSchema, SERVICES_ANSWER, { services, packages, consultation });
  expectShape(ListQuizAreasResponseSchema, QUIZ_ANSWER, { areas: quizAreas });
  expectShape(ListFaqsResponseSchema, FAQS_ANSWER, { groups: faqGroups, quickAnswers });
});

test('a service of which little is said has empty texts and no price', () => {
  expectSame(ListServicesResponseSchema, SERVICES_ANSWER, { services: [{ serviceId: 'new' }] });
  expectSame(ListServicesResponseSchema, SERVICES_ANSWER, { services: [{ crisisNote: true }] });
});
