/** Reads the practice's files as the catalogue does, into the messages that it would answer. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { parse } from 'smol-toml';
import {
  ListFaqsResponseSchema,
  ListQuizAreasResponseSchema,
  type ListServicesResponse,
  ListServicesResponseSchema,
  type MeditationGuide,
  MeditationGuideSchema,
  type Practice,
  PracticeSchema,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from '@/lib/snapshot';

const LENIENT = { ignoreUnknownFields: true };

/** The practice that comes with the project, from the folder that builds and tests run in. */
export const OUR_PRACTICE = '../deploy/local/practice';

/** What a file says that is older than these settings, as the catalogue reads it. */
export const USUAL_POLICIES = { reply_days_text: '2-3 business days' };

export function readToml(folder: string, name: string): JsonObject {
  const text = readFileSync(join(folder, name), 'utf8');
  try {
    return parse(text) as JsonObject;
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

export function section(file: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = file[name];
  return value && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function readAbout(folder: string): JsonObject {
  const { introduction, story, ...rest } = readToml(folder, 'about.toml');
  return {
    ...rest,
    introduction: paragraphsOf(introduction).join(' '),
    story: paragraphsOf(story),
  };
}

/** The first practitioner and its further ones; none where there is only the first. */
function practitionersOf(file: JsonObject): JsonObject[] {
  const further = Array.isArray(file.practitioners) ? (file.practitioners as JsonObject[]) : [];
  if (further.length === 0) return [];
  const lead = { practitioner_id: 'lead', name: section(file, 'practice').practitioner_name ?? '' };
  const giving = further.filter(({ weekdays }) => !Array.isArray(weekdays) || weekdays.length > 0);
  return [
    lead,
    ...giving.map(({ practitioner_id, name }) => ({ practitioner_id, name }) as JsonObject),
  ];
}

/** A service with its practitioners: those that it names, or all. */
function withPractitioners(service: JsonObject, all: readonly JsonObject[]): JsonObject {
  const ids = Array.isArray(service.practitioners) ? service.practitioners : undefined;
  const practitioners = all.filter(({ practitioner_id }) => {
    return !ids || ids.includes(practitioner_id ?? '');
  });
  return { ...service, practitioners };
}

/** The scheduling provider's widgets, by the services whose time is chosen in them. */
function widgetsOf(file: JsonObject): Map<JsonValue | undefined, JsonValue> {
  const listed = Array.isArray(file.scheduling_widgets) ? file.scheduling_widgets : [];
  return new Map((listed as JsonObject[]).map(({ service_id, url = '' }) => [service_id, url]));
}

/** The most days from the first to the last date of a package whose file does not say it. */
const WITHIN_DAYS_USUAL = 90;

function minorUnits(one: JsonObject): number {
  return Number(section(one, 'price').minor_units ?? 0);
}

const VERSION_DIGITS = 12;

/** What a tier says of the practice's own late cancelling: in words, and as the contract has it. */
function givenOf(late: JsonValue | undefined): { words: string; fields?: JsonObject } {
  const share_percent = Number.parseInt(String(late), 10);
  if (late === 'free session')
    return { words: late, fields: { practice_late: { free_session: true } } };
  if (Number.isNaN(share_percent)) return { words: 'nothing' };
  return { words: `${share_percent}%`, fields: { practice_late: { share_percent } } };
}

/** A tier of the file as the contract has it. */
function tierOf({ until_hours = 0, refund_percent = 0, practice_late }: JsonObject): JsonObject {
  return { until_hours, refund_percent, ...givenOf(practice_late).fields };
}

/** How often a client may cancel late and lose less, where the practice says it. */
function withGrace(policies: JsonObject): { grace?: Record<string, number> } {
  if (!policies.grace) return {};
  const { times, months, refund_percent = 100 } = section(policies, 'grace');
  const grace = { times, months, refund_percent };
  return { grace: Object.fromEntries(Object.entries(grace).map(([k, v]) => [k, Number(v)])) };
}

/**
 * What goes back of a session, as the crate `practice` makes it: all of the price until so many hours
 * before the start, then the further steps, and in the end nothing; named by the hash of its words. How
 * late and how often a session can be moved stands beside it.
 */
function policyOf(policies: JsonObject, hours: number): JsonObject {
  const steps = Array.isArray(policies.cancellation_steps) ? policies.cancellation_steps : [];
  const later = (steps as JsonObject[]).filter(({ until_hours }) => Number(until_hours) < hours);
  const upTo = [{ until_hours: hours, refund_percent: 100 } as JsonObject, ...later];
  const end = { until_hours: 0, refund_percent: 0, practice_late: policies.practice_late ?? '' };
  const all = Number(upTo.at(-1)?.until_hours) > 0 ? [...upTo, end] : upTo;
  const words = all.map(({ until_hours, refund_percent, practice_late }) => {
    return `${until_hours} h ${refund_percent}% ${givenOf(practice_late).words}\n`;
  });
  const { grace } = withGrace(policies);
  if (grace)
    words.push(`grace ${grace.times} in ${grace.months} months ${grace.refund_percent}%\n`);
  const hash = createHash('sha256').update(words.join('')).digest('hex');
  const moves = { until_hours: policies.move_until_hours ?? hours, times: policies.moves_max ?? 3 };
  return {
    version: hash.slice(0, VERSION_DIGITS),
    tiers: all.map(tierOf),
    moves,
    ...(grace && { grace }),
  };
}

/**
 * The packages with their services: those that they name, or all of which so many sessions do not cost
 * less one by one, as the catalogue decides it; and the practice's notice.
 */
function packagesOf(file: JsonObject, policies: JsonObject): JsonObject[] {
  const services = Array.isArray(file.services) ? (file.services as JsonObject[]) : [];
  const packages = Array.isArray(file.packages) ? (file.packages as JsonObject[]) : [];
  const usual = policies.cancellation_hours ?? 24;
  return packages.map(({ services: named, ...one }) => ({
    within_days: WITHIN_DAYS_USUAL,
    notice_hours: usual,
    cancellation_policy: policyOf(policies, Number(one.notice_hours ?? usual)),
    ...one,
    service_ids: services
      .filter((service) => minorUnits(one) <= Number(one.sessions ?? 0) * minorUnits(service))
      .flatMap(({ service_id }) => service_id ?? [])
      .filter((id) => !Array.isArray(named) || named.includes(id)),
  }));
}

/** What costs nothing. */
const FREE: JsonObject = { minor_units: 0, currency_code: 'INR' };

/** The services and what else is offered, as the catalogue answers it. */
function readOffer(folder: string): ListServicesResponse {
  const practice = readToml(folder, 'practice.toml');
  const all = practitionersOf(practice);
  const file = readToml(folder, 'services.toml');
  const services = Array.isArray(file.services) ? (file.services as JsonObject[]) : [];
  const widgets = widgetsOf(practice);
  const offer: JsonObject = {
    services: services.map((service) => ({
      ...withPractitioners(service, all),
      scheduling_url: widgets.get(service.service_id) ?? '',
    })),
    packages: packagesOf(file, section(practice, 'policies')),
  };
  if (file.consultation) {
    const consultation = withPractitioners(section(file, 'consultation'), all);
    offer.consultation = { ...consultation, price: FREE };
  }
  return fromJson(ListServicesResponseSchema, offer, LENIENT);
}

function readPractice(folder: string): Practice {
  const file = readToml(folder, 'practice.toml');
  const policies = section(file, 'policies');
  const { cancellation_hours = 24, hold_minutes, refund_days_text, reply_days_text } = policies;
  const { services } = section(file, 'reviews');
  const practice = {
    ...section(file, 'practice'),
    figures: file.figures ?? [],
    review_services: services ?? [],
    cancellation_hours,
    cancellation_policy: policyOf(policies, Number(cancellation_hours)),
    hold_minutes: hold_minutes ?? 0,
    refund_days_text: refund_days_text ?? '',
    reply_days_text: reply_days_text ?? USUAL_POLICIES.reply_days_text,
    about: readAbout(folder),
    practitioners: practitionersOf(file),
  };
  return fromJson(PracticeSchema, practice, LENIENT);
}

/** Exactly what a browser calls an origin; the services hold the file to more (crate practice). */
const ORIGIN = /^(?:https:\/\/[a-z0-9.-]+|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d+)?$/;

function isOrigin(text: JsonValue): text is string {
  return (
    typeof text === 'string' &&
    ORIGIN.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}

/** Origins of the sites that may show the widget; none in an older file. */
export function readEmbeddingOrigins(folder: string): string[] {
  const { origins = [] } = section(readToml(folder, 'practice.toml'), 'embedding');
  const refuse = (what: JsonValue | undefined, why: string) => {
    throw new Error(`practice.toml: embedding.origins: ${JSON.stringify(what)} is no ${why}`);
  };
  if (!Array.isArray(origins)) return refuse(origins, 'list');
  const wrong = origins.find((origin) => !isOrigin(origin));
  return wrong === undefined ? origins.filter(isOrigin) : refuse(wrong, 'origin');
}

/** A text's paragraphs, which an empty line separates; other line breaks mean nothing. */
export function paragraphsOf(text: JsonValue | undefined): string[] {
  return String(text ?? '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split(/\s+/).filter(Boolean).join(' '))
    .filter(Boolean);
}

/** The meditation guide; throws where it is missing or does not fit the contract. */
export function readGuideFile(folder: string): MeditationGuide {
  const { title, introduction, closing, steps: blocks } = readToml(folder, 'guide.toml');
  const steps = (Array.isArray(blocks) ? blocks : []).map((block) => {
    const { title, minutes, text } = block as JsonObject;
    return { title, minutes, paragraphs: paragraphsOf(text) } as JsonObject;
  });
  return fromJson(MeditationGuideSchema, {
    title: title ?? '',
    introduction: paragraphsOf(introduction),
    closing: paragraphsOf(closing),
    steps,
    minutes: steps.reduce((sum, { minutes }) => sum + Number(minutes), 0),
  });
}

/** The folder's content; throws where a file is missing or does not fit the contract. */
export function readPracticeFiles(folder: string): Snapshot {
  const practice = readPractice(folder);
  const offer = readOffer(folder);
  const quiz = readToml(folder, 'quiz.toml');
  const faqs = readToml(folder, 'faqs.toml');
  const { groups, quickAnswers } = fromJson(ListFaqsResponseSchema, faqs, LENIENT);
  return {
    practice,
    services: offer.services,
    packages: offer.packages,
    consultation: offer.consultation,
    quizAreas: fromJson(ListQuizAreasResponseSchema, quiz, LENIENT).areas,
    faqGroups: groups,
    quickAnswers,
  };
}
