import { useEffect } from 'react';
import { usePractice } from './practice';

/** Titles the document after what a page shows, where its path alone does not tell. */
export function usePageTitle(title: string | undefined): void {
  const practice = usePractice();
  useEffect(() => {
    // Again with each refresh of the practice, which puts the path's own title back.
    if (title) document.title = `${title} · ${practice.name}`;
  }, [title, practice]);
}
