import { useEffect, useRef } from 'react';

import { isFocusLost } from './useFocusIfLost';

/**
 * Moves the focus to the heading of the screen, and scrolls it into view; to that of the dialog that an
 * element is in, because the screen behind an open dialog can't have the focus.
 */
export function focusHeading(from?: Element | null): void {
  const dialog = from?.closest('dialog');
  (dialog?.querySelector('h2') ?? document.querySelector('h1'))?.focus();
}

/**
 * Focuses the heading when something else is shown and the focused element is gone with what was there:
 * a form that has nothing left to do, because its change was made although the answer was lost.
 */
export function useFocusHeadingIfLost(shown: unknown): void {
  const lastShown = useRef(shown);
  useEffect(() => {
    if (lastShown.current === shown) return;
    lastShown.current = shown;
    if (isFocusLost()) focusHeading();
  }, [shown]);
}

/**
 * Focuses the heading after a dialog has closed that has no element to return the focus to: the one
 * that opened it is gone, or it opened with the page.
 */
export function useFocusHeadingAfterClose(open: boolean): void {
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && isFocusLost()) focusHeading();
    wasOpen.current = open;
  }, [open]);
}
