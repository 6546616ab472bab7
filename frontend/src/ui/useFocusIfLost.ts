import { type RefObject, useEffect, useRef } from 'react';

let lastFocused: EventTarget | null = null;
document.addEventListener('focusin', ({ target }) => {
  lastFocused = target;
});

/** Whether it has left the page, or its dialog has closed: a browser takes the focus out of that only when it draws next. */
function isGone(element: Element): boolean {
  return !element.isConnected || element.closest('dialog:not([open])') !== null;
}

/** Whether what held the focus has gone. Where nothing ever held it, on a page just opened, nothing is lost. */
export function focusIsLost(): boolean {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body) return isGone(focused);
  return lastFocused instanceof Element && isGone(lastFocused);
}

/**
 * Gives the focus a place when what held it has gone: a button that its own success removed.
 * Put the ref on something with `tabIndex={-1}`; it is looked at whenever `state` changes.
 */
export function useFocusIfLost<T extends HTMLElement>(state: unknown): RefObject<T | null> {
  const place = useRef<T>(null);
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current === state) return;
    seen.current = state;
    if (focusIsLost()) place.current?.focus();
  }, [state]);
  return place;
}
