export type Numbered<T> = { number: number; item: T };

/** Things with their place, counted from 1: two steps or paragraphs may be alike. */
export function numbered<T>(items: readonly T[]): Numbered<T>[] {
  return items.map((item, index) => ({ number: index + 1, item }));
}
