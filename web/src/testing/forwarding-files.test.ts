/**
 * Refuses files of fewer than 15 lines that only forward: that export again what they import, or
 * wrap one call of it. A reader of such a file has to open another one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '..');
const LINES_MIN = 15;
/** Kept in src, but not written by hand. */
const GENERATED = /^gen\//;

type Node = { type: string } & Record<string, unknown>;

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && 'type' in value
    ? (value as Node)
    : undefined;
}

function asNodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.flatMap((it) => asNode(it) ?? []) : [];
}

function nameOf(value: unknown): string {
  const name = asNode(value)?.name;
  return typeof name === 'string' ? name : '';
}

/** A value that the wrapper was given, or one that is written out. */
function isPlain(value: unknown): boolean {
  const node = asNode(value);
  if (node?.type === 'MemberExpression') return isPlain(node.object);
  if (node?.type === 'JSXExpressionContainer') return isPlain(node.expression);
  return node === undefined || node.type === 'Identifier' || node.type === 'Literal';
}

/** A call of something imported, with plain values. An element with a class name adds its style. */
function isForwardingCall(value: unknown, imported: ReadonlySet<string>): boolean {
  const node = asNode(value);
  if (node?.type === 'CallExpression') {
    return imported.has(nameOf(node.callee)) && asNodes(node.arguments).every(isPlain);
  }
  if (node?.type !== 'JSXElement' || asNodes(node.children).length > 0) return false;
  const opening = asNode(node.openingElement);
  const attributes = asNodes(opening?.attributes);
  const styled = attributes.some(({ name }) => nameOf(name) === 'className');
  const plain = attributes.every(({ value: given }) => isPlain(given));
  return imported.has(nameOf(opening?.name)) && plain && !styled;
}

/** The one expression that a function consists of. */
function bodyOf(fn: Node): unknown {
  const body = asNode(fn.body);
  if (body?.type !== 'BlockStatement') return body;
  const [only, ...more] = asNodes(body.body);
  if (more.length > 0) return undefined;
  return only?.type === 'ReturnStatement' ? only.argument : only?.expression;
}

function isForwarded(value: unknown, imported: ReadonlySet<string>): boolean {
  const node = asNode(value);
  if (node === undefined) return false;
  if (node.type === 'VariableDeclaration') {
    return asNodes(node.declarations).every(({ init }) => isForwarded(init, imported));
  }
  if (node.type.includes('Function')) return isForwardingCall(bodyOf(node), imported);
  return imported.has(nameOf(node));
}

function isForwardingExport(node: Node, imported: ReadonlySet<string>): boolean {
  if (node.type === 'ExportAllDeclaration' || asNode(node.source)) return true;
  if (asNode(node.declaration)) return isForwarded(node.declaration, imported);
  return asNodes(node.specifiers).every(({ local }) => imported.has(nameOf(local)));
}

/** Whether everything that a short file exports is something that it imports. */
function onlyForwards(file: string, text: string): boolean {
  if (text.trimEnd().split('\n').length >= LINES_MIN) return false;
  const statements = asNodes(parseSync(file, text).program.body);
  const imports = statements.filter(({ type }) => type === 'ImportDeclaration');
  const specifiers = imports.flatMap(({ specifiers: some }) => asNodes(some));
  const imported = new Set(specifiers.map(({ local }) => nameOf(local)));
  const exports = statements.filter(({ type }) => type.startsWith('Export'));
  return exports.length > 0 && exports.every((node) => isForwardingExport(node, imported));
}

test('no short file only forwards', () => {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/.test(name) && !GENERATED.test(name));
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => onlyForwards(file, readFileSync(join(SRC, file), 'utf8')))).toEqual(
    [],
  );
});

test.each([
  "export { wait } from '@/lib/wait';",
  "export * from '@/lib/wait';",
  "import { AboutPage } from './about-page';\nexport default AboutPage;",
  "import { wait } from './wait';\nexport { wait };",
  "import { wait } from './wait';\nexport const pause = wait;",
  "import { Legal } from './legal';\nexport default function Page() {\n  return <Legal name='a' />;\n}",
  "import { Page } from './page';\nexport const Route = ({ params }) => <Page id={params.id} />;",
  "import { keyOf } from './keys';\nconst NAME = 'a';\nexport function key(parts) {\n  return keyOf(NAME, parts);\n}",
  "import { endAttempt } from './keys';\nexport function end() {\n  endAttempt('a');\n}",
])('such a file would be found: %s', (text) => {
  expect(onlyForwards('file.tsx', text)).toBe(true);
});

test.each([
  "import { A } from './a';\nexport const Box = () => <A className='b' />;",
  "import { A } from './a';\nexport const Box = () => <A>more</A>;",
  "import { read } from './a';\nexport const name = () => read('a') ?? '';",
  "import { read } from './a';\nexport const KEY = 'a';\nexport const name = () => read(KEY);",
  "import { send, url } from './a';\nexport const go = (to) => send(url(to));",
  "import { start } from './a';\nstart();",
])('a file that adds something is none: %s', (text) => {
  expect(onlyForwards('file.tsx', text)).toBe(false);
});
