import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router-dom';

import { canShowInThisPage, reloadPage } from '@/lib/page/pageLoads';
import { LoaderOverlay } from '@/ui/loading/LoaderOverlay';

/**
 * Renders only the screens that the loaded page may show, and reloads the page for any other
 * address. This way only the pages of the card and PayPal screens allow the provider's script.
 */
export function PageGuard({ children }: { children: ReactNode }) {
  const { pathname, key } = useLocation();
  const canShow = canShowInThisPage(pathname);
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts a page load that another navigation canceled.
  useEffect(() => {
    if (!canShow) reloadPage();
  }, [canShow, key]);
  useEffect(reloadWhenRestored, []);
  return canShow ? children : <LoaderOverlay />;
}

/** A page restored from the back/forward cache may show an address that it must not show. */
function reloadWhenRestored(): () => void {
  const handlePageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted && !canShowInThisPage(window.location.pathname)) reloadPage();
  };
  window.addEventListener('pageshow', handlePageShow);
  return () => window.removeEventListener('pageshow', handlePageShow);
}
