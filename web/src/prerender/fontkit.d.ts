/** The little of two packages without types that the cards need. */
declare module 'fontkit' {
  export type Glyph = { path: { toSVG(): string } };
  export type Run = {
    glyphs: Glyph[];
    positions: { xAdvance: number; xOffset: number; yOffset: number }[];
    advanceWidth: number;
  };
  export type Font = {
    unitsPerEm: number;
    getVariation(settings: Record<string, number>): Font;
    hasGlyphForCodePoint(codePoint: number): boolean;
    layout(text: string): Run;
  };
  export function create(bytes: Uint8Array): Font;
}

declare module 'wawoff2' {
  export function decompress(bytes: Uint8Array): Promise<Uint8Array>;
}
