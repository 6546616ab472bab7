import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';

import { guardTraversals } from '@/lib/page/traversals';

type Departure = () => void;

/** A link that opens in this tab and shows another screen of the app. */
function isLinkToOtherScreen(event: MouseEvent, link: HTMLAnchorElement, pathname: string) {
  const opensHere = link.target === '' && !link.hasAttribute('download') && event.button === 0;
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const isOwn = link.origin === window.location.origin;
  return opensHere && !isModified && isOwn && link.pathname !== pathname;
}

/** The position that React Router gives each history entry; NaN for an entry it did not make. */
function historyIndex(state: unknown): number {
  return (state as { idx?: number } | null)?.idx ?? Number.NaN;
}

/**
 * Holds back links, Back and Forward while there are unsaved entries, for a dialog that asks first.
 * For a reload, a closed tab or another site the browser itself asks.
 *
 * React Router's own `useBlocker` needs its data router, which would add 17 kB (gzip) to the first
 * load of every page.
 */
export function useUnsavedGuard(hasUnsaved: boolean) {
  const { pathname, key } = useLocation();
  const [departure, setDeparture] = useState<Departure | null>(null);
  const isLeaving = useRef(false);
  const hold = useCallback((leave: Departure) => setDeparture(() => leave), []);
  const release = useCallback(() => setDeparture(null), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each history entry has another position.
  useEffect(() => {
    if (!hasUnsaved) return;
    isLeaving.current = false;
    const guards = new AbortController();
    // A capturing listener runs before the link's own.
    const options = { capture: true, signal: guards.signal };
    const ownIndex = historyIndex(window.history.state);

    const holdLink = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (isLeaving.current || !link || !isLinkToOtherScreen(event, link, pathname)) return;
      event.preventDefault();
      event.stopPropagation();
      hold(() => link.click());
    };
    const releaseTraversals = guardTraversals((event) => {
      const distance = historyIndex(event.state) - ownIndex;
      if (isLeaving.current || Number.isNaN(distance)) return false;
      // The event cannot be canceled, so the browser goes back to this entry; that is distance 0.
      if (distance === 0) return true;
      window.history.go(-distance);
      hold(() => window.history.go(distance));
      return true;
    });
    const askBeforeUnload = (event: BeforeUnloadEvent) => {
      if (!isLeaving.current) event.preventDefault();
    };
    document.addEventListener('click', holdLink, options);
    window.addEventListener('beforeunload', askBeforeUnload, options);
    return () => {
      guards.abort();
      releaseTraversals();
      release();
    };
  }, [hasUnsaved, pathname, key, hold, release]);

  return {
    isHolding: departure !== null,
    stay: release,
    leave: () => {
      isLeaving.current = true;
      release();
      departure?.();
    },
  };
}
