import { type RefObject, useEffect } from 'react';

/** How far below the screen something may be to count as near. */
const MARGIN = '700px 0px';

/** Calls `onNear` once, when the element comes near to what is seen of the page. */
export function useInViewport(ref: RefObject<Element | null>, onNear: () => void): void {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onNear();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, onNear]);
}
