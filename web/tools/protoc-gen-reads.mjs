#!/usr/bin/env node
/**
 * Generates the calls that change nothing for lib/connect-get.ts, a file each: the path, the fields
 * of the request as JSON has them, and the answer's fields with what they are where JSON leaves
 * them out. A list has the zero value of a member, a point in time is null, and what may be absent
 * is undefined. An answer with words of an enum has no such file: a page would need its numbers.
 */
import { ScalarType } from '@bufbuild/protobuf';
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin';

const TIMESTAMP = 'google.protobuf.Timestamp';
const NO_SIDE_EFFECTS = 1;
const EXPLICIT_PRESENCE = 1;
/** The zero value of a type, and how JSON writes it. */
const SCALARS = new Map([
  [ScalarType.STRING, { zero: "''", json: 'string' }],
  [ScalarType.BOOL, { zero: 'false', json: 'boolean' }],
  [ScalarType.INT32, { zero: '0', json: 'number' }],
  [ScalarType.INT64, { zero: '0n', json: 'string' }],
]);

function zeroOf(field) {
  if (field.message?.typeName === TIMESTAMP) return 'null';
  if (field.message) return zerosOf(field.message);
  const zero = SCALARS.get(field.scalar)?.zero;
  const optional = field.fieldKind !== 'list' && field.presence === EXPLICIT_PRESENCE;
  // A 64-bit number is a text in JSON, which only its zero value tells.
  return optional && zero !== '0n' ? 'undefined' : zero;
}

function zerosOf(message) {
  const parts = message.fields.map((field) => {
    const zero = zeroOf(field);
    return zero && `${field.localName}: ${field.fieldKind === 'list' ? `[${zero}]` : zero}`;
  });
  return parts.includes(undefined) ? undefined : `{ ${parts.join(', ')} }`;
}

function inputOf(message) {
  const parts = message.fields.map((field) => {
    const words = field.enum?.values.map(({ name }) => `'${name}'`).join(' | ');
    return `${field.localName}?: ${words ?? SCALARS.get(field.scalar).json}`;
  });
  return parts.length > 0 ? `{ ${parts.join('; ')} }` : 'Record<string, never>';
}

function generateRead(schema, file, method) {
  const answer = zerosOf(method.output);
  if (!answer) return;
  const name = method.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  const folder = file.name.slice(0, file.name.lastIndexOf('/'));
  const written = schema.generateFile(`${folder}/${name}_read.ts`);
  written.preamble(file);
  const { typeName } = method.parent;
  written.print`/** @generated from rpc ${typeName}.${method.name} */`;
  written.print`export const ${method.localName}: {`;
  written.print`  path: string;`;
  written.print`  answer: object;`;
  written.print`  of?: (input: ${inputOf(method.input)}) => ${written.importShape(method.output)};`;
  written.print`} = {`;
  written.print`  path: '${typeName}/${method.name}',`;
  written.print`  answer: ${answer},`;
  written.print`};`;
}

function generateTs(schema) {
  for (const file of schema.files) {
    for (const method of file.services.flatMap(({ methods }) => methods)) {
      const isRead = method.idempotency === NO_SIDE_EFFECTS && method.methodKind === 'unary';
      if (isRead) generateRead(schema, file, method);
    }
  }
}

runNodeJs(createEcmaScriptPlugin({ name: 'protoc-gen-reads', version: 'v1', generateTs }));
