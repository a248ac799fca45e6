/** The files of code that the build made. Their names are hashes; the build's list has their words. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../dist-server/built-files.json', import.meta.url));

type Chunk = { file: string; name?: string };

/** The path of a file of code, for example of `faq-page`. */
export function chunkPath(name: string): string {
  const files = Object.values(JSON.parse(readFileSync(BUILT, 'utf8')) as Record<string, Chunk>);
  const paths = files.filter((it) => it.name === name && it.file.endsWith('.js'));
  if (paths.length !== 1) throw new Error(`${paths.length} files of code are ${name}.`);
  return `/${paths[0]?.file}`;
}

/** The address of a file of code, also when it is asked for again. */
export function chunkAddress(name: string): RegExp {
  return new RegExp(`${chunkPath(name)}(?:\\?|$)`);
}

/** What a browser complains of when a file of code is lost on its way. */
export function lostChunk(name: string): RegExp {
  const path = chunkPath(name);
  return new RegExp(`${path}.*ERR_FAILED|ERR_FAILED .*${path}`);
}

/** What a browser and we complain of when a file of code is not there any more. */
export function goneChunk(name: string): RegExp {
  const path = chunkPath(name);
  return new RegExp(`${path} answered 404$|status of 404 .*${path}`);
}
