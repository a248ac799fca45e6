/** Reads the practice's files as the catalogue does, into the messages that it would answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { parse } from 'smol-toml';
import {
  ListServicesResponseSchema,
  type Practice,
  PracticeSchema,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from '@/lib/snapshot';

const LENIENT = { ignoreUnknownFields: true };

function readToml(folder: string, name: string): JsonObject {
  return parse(readFileSync(join(folder, name), 'utf8')) as JsonObject;
}

function section(file: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = file[name];
  return value && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function readPractice(folder: string): Practice {
  const file = readToml(folder, 'practice.toml');
  const { cancellation_hours } = section(file, 'policies');
  const { services } = section(file, 'reviews');
  const practice = {
    ...section(file, 'practice'),
    figures: file.figures ?? [],
    review_services: services ?? [],
    cancellation_hours: cancellation_hours ?? 24,
  };
  return fromJson(PracticeSchema, practice, LENIENT);
}

/** The folder's content; throws where a file is missing or does not fit the contract. */
export function readPracticeFiles(folder: string): Snapshot {
  const offer = fromJson(
    ListServicesResponseSchema,
    readToml(folder, 'services.toml') as JsonValue,
    LENIENT,
  );
  return {
    practice: readPractice(folder),
    services: offer.services,
    packages: offer.packages,
  };
}
