import { useEffect } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';

/** Starts each new screen at its top. Going back is left to the browser, which knows where one was. */
export function useScrollToTop(): void {
  const { pathname } = useLocation();
  const navigation = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another screen.
  useEffect(() => {
    if (navigation !== 'POP') window.scrollTo(0, 0);
  }, [pathname]);
}
