/** How long the browser has to read the file: Safari begins to only after the press was handled. */
const KEPT_MS = 60_000;

/** Hands a text to the browser as a file to save. */
export function saveFile(filename: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
