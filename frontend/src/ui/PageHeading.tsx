import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

import { useLocation } from 'react-router-dom';

import styles from './PageHeading.module.css';

/** The site's name, appended to the document title. */
export const SiteNameContext = createContext('');

let headingsShown = 0;

/**
 * Focuses the heading after each navigation, so that screen readers announce the new screen. Not on
 * the first load, which the browser announces itself.
 */
function useFocusAfterNavigation() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen.
  useEffect(() => {
    headingsShown += 1;
    // Scrolling is left to the router.
    if (headingsShown > 1) heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}

/** `title` is the document title, if it differs from the heading. */
type PageHeadingProps = (
  | { children: string; title?: string }
  | { children: ReactNode; title: string }
) & {
  /** A sentence under the heading. */
  lead?: ReactNode;
};

/** The `h1` of a screen. Sets the document title and gets the focus on navigation. */
export function PageHeading({ children, title, lead }: PageHeadingProps) {
  const heading = useFocusAfterNavigation();
  const siteName = useContext(SiteNameContext);
  const name = title ?? (typeof children === 'string' ? children : '');
  useEffect(() => {
    document.title = [name, siteName].filter(Boolean).join(' · ');
  }, [name, siteName]);
  return (
    <div className={styles.heading}>
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
