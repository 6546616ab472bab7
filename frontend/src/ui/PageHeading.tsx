import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

import { useLocation } from 'react-router-dom';

import styles from '@/ui/PageHeading.module.css';

/** What stands after a screen's name in the window's title: the brand. */
export const SiteNameContext = createContext('');

let headingsShown = 0;

/**
 * Takes the focus after each navigation, so that a screen reader says where one now is; not when the
 * window opens, where the browser says it.
 */
function useFocusAfterNavigation() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another screen.
  useEffect(() => {
    headingsShown += 1;
    // Where the window stands is for the router to say.
    if (headingsShown > 1) heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}

interface PageHeadingProps {
  children: ReactNode;
  /** The window's title, where the heading is no plain text or says less. */
  title?: string;
  /** A sentence under the heading. */
  lead?: ReactNode;
}

/** A screen's one first-level heading: names the window and receives the focus on navigation. */
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
