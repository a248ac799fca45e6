/**
 * The picture that a video shows until its first frame is there: the file of the same name with
 * .jpg beside it, for videos that the practice keeps in its media folder.
 */
export function posterOf(src: string): string | undefined {
  return /^\/media\/.+\.mp4$/.test(src) ? src.replace(/\.mp4$/, '.jpg') : undefined;
}
