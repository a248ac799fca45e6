/** Holds a shape of lib/connect-get.ts to the contract: the same fields, the same values from JSON. */
import { create, type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { complete } from '@/lib/connect-get';

/** Every field that the contract has and the shape has not, and the other way round. */
function differences(schema: DescMessage, shape: object): string[] {
  const known = new Map(Object.entries(shape));
  const missing = schema.fields.flatMap((field) => {
    const part: unknown = known.get(field.localName);
    known.delete(field.localName);
    if (part === undefined) return [`${schema.typeName}.${field.localName}`];
    const inner: unknown = Array.isArray(part) ? part[0] : part;
    return field.message ? differences(field.message, inner as object) : [];
  });
  return [...missing, ...[...known.keys()].map((name) => `${schema.typeName} has no ${name}`)];
}

/** Messages know their names, which no page reads. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([name]) => name !== '$typeName');
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutNames(part)]));
}

export function expectSame(schema: DescMessage, shape: object, json: JsonValue): void {
  expect(withoutNames(complete(shape, json))).toEqual(withoutNames(fromJson(schema, json)));
}

/** The shape has all fields, and reads a full answer and an empty one as the contract does. */
export function expectShape(
  schema: DescMessage,
  shape: object,
  content: Record<string, unknown>,
): void {
  expect(differences(schema, shape)).toEqual([]);
  expectSame(schema, shape, toJson(schema, create(schema, content)));
  expectSame(schema, shape, {});
}
