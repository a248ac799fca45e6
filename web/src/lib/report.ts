/** Notes in the browser's console; nothing leaves the browser. */
export function reportMissingPath(path: string): void {
  // A note and not an error: the page says what is wrong, and the server logs the answer.
  // biome-ignore lint/suspicious/noConsole: the attempted path is logged on purpose.
  console.info(`No page at ${path}`);
}
