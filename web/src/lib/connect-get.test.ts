/** The generated reads give what the contract's own reader gives: of all that an answer may say, and of nothing. */
import {
  create,
  type DescField,
  type DescMessage,
  type DescService,
  fromJson,
  type JsonValue,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { complete, type Read } from './connect-get';

type Module = Record<string, unknown>;
const READS = import.meta.glob<Module>('../gen/*/v1/*_read.ts', { eager: true });
const SERVICES = import.meta.glob<Module>('../gen/*/v1/*_service_pb.ts', { eager: true });

function membersOf(modules: Record<string, Module>): unknown[] {
  return Object.values(modules).flatMap((module) => Object.values(module));
}

/** The message that a call answers with, by the call's path. */
function answers(): Map<string, DescMessage> {
  const services = membersOf(SERVICES).filter(
    (member) => (member as DescService).kind === 'service',
  );
  const methods = services.flatMap((service) => (service as DescService).methods);
  return new Map(methods.map((one) => [`${one.parent.typeName}/${one.name}`, one.output]));
}

const SCALARS = new Map<ScalarType | undefined, unknown>([
  [ScalarType.BOOL, true],
  [ScalarType.INT32, 7],
  [ScalarType.INT64, 1n << 60n],
]);

function sampleOf(field: DescField): unknown {
  if (field.message?.typeName === 'google.protobuf.Timestamp') {
    return timestampFromDate(new Date('2026-11-20T10:11:12.345Z'));
  }
  return field.message ? fullOf(field.message) : (SCALARS.get(field.scalar) ?? field.name);
}

/** A message of which everything is said; of a list there is an empty member as well. */
function fullOf(schema: DescMessage) {
  const parts = schema.fields.map((field) => {
    const value = sampleOf(field);
    const empty = field.message ? create(field.message) : value;
    return [field.localName, field.fieldKind === 'list' ? [value, empty] : value];
  });
  return create(schema, Object.fromEntries(parts));
}

/** Messages know their names, which no page reads. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([name]) => name !== '$typeName');
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutNames(part)]));
}

test('the generated reads give what the contract says', () => {
  const known = answers();
  const reads = membersOf(READS) as Read<never, unknown>[];
  expect(reads.length).toBeGreaterThan(10);
  for (const { path, answer } of reads) {
    const schema = known.get(path);
    if (!schema) throw new Error(`There is no ${path}.`);
    const full: JsonValue = toJson(schema, fullOf(schema));
    for (const json of [full, {}]) {
      const expected = withoutNames(fromJson(schema, json));
      expect(withoutNames(complete(answer, json)), path).toEqual(expected);
    }
  }
});
