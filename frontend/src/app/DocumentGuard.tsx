import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router-dom';

import { belongsHere, loadAnew } from '@/lib/documents';
import { LoaderOverlay } from '@/ui/LoaderOverlay';

/**
 * Draws the screens of this document only: an address that another one belongs to is loaded anew,
 * however one came to it, so that no other document than the card screens' allows the provider's script.
 */
export function DocumentGuard({ children }: { children: ReactNode }) {
  const { pathname, key } = useLocation();
  const belongs = belongsHere(pathname);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a load that another navigation cut short is started again.
  useEffect(() => {
    if (!belongs) loadAnew();
  }, [belongs, key]);
  useEffect(reloadWhenRestored, []);
  return belongs ? children : <LoaderOverlay />;
}

/** A page that was left while it was being loaded anew comes back from the browser's memory as it was left. */
function reloadWhenRestored(): () => void {
  const restored = ({ persisted }: PageTransitionEvent) => {
    if (persisted && !belongsHere(window.location.pathname)) loadAnew();
  };
  window.addEventListener('pageshow', restored);
  return () => window.removeEventListener('pageshow', restored);
}
