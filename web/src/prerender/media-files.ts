/**
 * The files that a practice puts beside its settings, in the folder media: videos, captions, a
 * portrait. The build copies them, and the development server reads them where they are.
 */
import { cpSync, createReadStream, existsSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, extname, join, resolve, sep } from 'node:path';
import type { Snapshot } from '@/lib/snapshot';

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.vtt': 'text/vtt; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
};

function isHidden(path: string): boolean {
  return basename(path).startsWith('.');
}

/** Copies the folder, if there is one, in place of what an earlier build left. */
export function copyMedia(practiceFolder: string, dist: string): void {
  const from = join(practiceFolder, 'media');
  const to = join(dist, 'media');
  rmSync(to, { recursive: true, force: true });
  if (!existsSync(from)) return;
  cpSync(from, to, { recursive: true, filter: (path) => !isHidden(path) });
}

/** Refuses settings that name a file of the folder media which is not there. */
export function assertMedia({ services, practice }: Snapshot, practiceFolder: string): void {
  const named = [
    practice.about?.portraitUrl ?? '',
    ...services.flatMap(({ videoUrl, captionsUrl }) => [videoUrl, captionsUrl]),
  ];
  for (const address of named.filter((one) => one.startsWith('/media/'))) {
    if (!fileOf(address, practiceFolder)) {
      throw new Error(`The practice's files name ${address}, but there is no such file.`);
    }
  }
}

/** The file at an address, unless it lies outside of the folder or is hidden, and so not copied. */
export function fileOf(address: string, practiceFolder: string): string | undefined {
  const folder = resolve(practiceFolder, 'media');
  let path: string;
  try {
    path = decodeURIComponent(address.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return undefined;
  }
  const file = resolve(folder, `.${path.slice('/media'.length)}`);
  const named = path.startsWith('/media/') && !path.includes('/.');
  const inside = named && file.startsWith(`${folder}${sep}`);
  return inside && existsSync(file) && statSync(file).isFile() ? file : undefined;
}

/** Answers a request of the development server, in parts too: Safari plays nothing without them. */
export function serveMedia(
  practiceFolder: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const file = fileOf(request.url ?? '', practiceFolder);
  if (!file) return false;
  const { size } = statSync(file);
  response.setHeader(
    'content-type',
    TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
  );
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('cache-control', 'no-cache');
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = asked ? Number(asked[1]) : 0;
  const end = Math.min(asked?.[2] ? Number(asked[2]) : size - 1, size - 1);
  if (start > end) {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return true;
  }
  if (asked) response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
  response.writeHead(asked ? 206 : 200, { 'content-length': end - start + 1 });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file, { start, end }).pipe(response);
  return true;
}
