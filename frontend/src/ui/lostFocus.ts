import { type RefObject, useEffect, useRef } from 'react';

import { focusHeading } from './focusHeading';

let lastFocused: EventTarget | null = null;
document.addEventListener('focusin', ({ target }) => {
  lastFocused = target;
});

/**
 * Whether an element was removed, or is in a closed dialog, from which browsers move the focus only
 * on the next frame.
 */
function isGone(element: Element): boolean {
  return !element.isConnected || element.closest('dialog:not([open])') !== null;
}

/**
 * Whether the focused element is gone. On a page where nothing has had the focus yet, no focus is
 * lost.
 */
export function isFocusLost(): boolean {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body) return isGone(focused);
  return lastFocused instanceof Element && isGone(lastFocused);
}

/**
 * Moves the focus to a target if the focused element is gone, such as a button removed by its own
 * success. The target needs `tabIndex={-1}`; the check runs whenever `state` changes.
 */
export function useFocusIfLost<T extends HTMLElement>(state: unknown): RefObject<T | null> {
  const target = useRef<T>(null);
  useMoveFocusIfLost(state, () => target.current?.focus());
  return target;
}

/**
 * Focuses the heading when something else is shown and the focused element is gone with what was there:
 * a form that has nothing left to do, because its change was made although the answer was lost.
 */
export function useFocusHeadingIfLost(shown: unknown): void {
  useMoveFocusIfLost(shown, focusHeading);
}

function useMoveFocusIfLost(state: unknown, moveFocus: () => void): void {
  const lastState = useRef(state);
  useEffect(() => {
    if (lastState.current === state) return;
    lastState.current = state;
    if (isFocusLost()) moveFocus();
  }, [state, moveFocus]);
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
