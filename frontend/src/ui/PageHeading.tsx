import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

import { useLocation, useNavigationType } from 'react-router-dom';

import styles from './PageHeading.module.css';

/** What the headings of a page need to know of it. */
export interface PageOfHeadings {
  /** Appended to the document title. */
  siteName: string;
  /** How many headings the page has shown since the browser loaded it. */
  headingsShown: { current: number };
}

export const PageContext = createContext<PageOfHeadings>({
  siteName: '',
  headingsShown: { current: 0 },
});

/**
 * Focuses the heading after each navigation, so that screen readers announce the new screen. Not on
 * the first load, which the browser announces itself.
 */
function useFocusAfterNavigation() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const { headingsShown } = useContext(PageContext);
  // A link may be followed before the first screen has come.
  const isFollowed = useNavigationType() === 'PUSH';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen.
  useEffect(() => {
    const isFirst = headingsShown.current === 0 && !isFollowed;
    headingsShown.current += 1;
    // Scrolling is left to the router.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
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
  const { siteName } = useContext(PageContext);
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
