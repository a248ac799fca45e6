import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { assertMedia, copyMedia, fileOf } from './media-files';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'media-files-'));
  mkdirSync(join(folder, 'practice/media/clips'), { recursive: true });
  writeFileSync(join(folder, 'practice/media/a.mp4'), 'a');
  writeFileSync(join(folder, 'practice/media/clips/b.mp4'), 'b');
  writeFileSync(join(folder, 'practice/media/.hidden'), 'h');
  writeFileSync(join(folder, 'practice/practice.toml'), 'secret');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the folder is copied in place of an older one, without hidden files', () => {
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'media'), { recursive: true });
  writeFileSync(join(dist, 'media/old.mp4'), 'old');
  copyMedia(join(folder, 'practice'), dist);
  expect(existsSync(join(dist, 'media/a.mp4'))).toBe(true);
  expect(existsSync(join(dist, 'media/clips/b.mp4'))).toBe(true);
  expect(existsSync(join(dist, 'media/old.mp4'))).toBe(false);
  expect(existsSync(join(dist, 'media/.hidden'))).toBe(false);
});

test('a practice without media has none', () => {
  copyMedia(join(folder, 'none'), join(folder, 'dist'));
  expect(existsSync(join(folder, 'dist/media'))).toBe(false);
});

test('no address leads out of the folder', () => {
  const practice = join(folder, 'practice');
  expect(fileOf('/media/a.mp4?x=1', practice)).toBe(join(practice, 'media/a.mp4'));
  writeFileSync(join(practice, 'media/Üben 1.MP4'), 'ü');
  expect(fileOf('/media/%C3%9Cben%201.MP4', practice)).toBe(join(practice, 'media/Üben 1.MP4'));
  for (const address of [
    '/media/../practice.toml',
    '/media/%2e%2e/practice.toml',
    '/media/clips/../../practice.toml',
    '/media',
    '/media/',
    '/media/clips',
    '/media/.hidden',
    '/media/%',
    '/mediaX/a.mp4',
    '/practice.toml',
  ]) {
    expect(fileOf(address, practice), address).toBeUndefined();
  }
});

test('settings that name a file which is not there are refused', () => {
  const practice = join(folder, 'practice');
  const snapshot = practiceFixture();
  for (const service of snapshot.services) {
    service.videoUrl = '/media/a.mp4';
    service.captionsUrl = '';
  }
  expect(() => assertMedia(snapshot, practice)).not.toThrow();
  const [first] = snapshot.services;
  if (first) first.captionsUrl = '/media/gone.vtt';
  expect(() => assertMedia(snapshot, practice)).toThrow('/media/gone.vtt');
});
