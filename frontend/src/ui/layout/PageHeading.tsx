import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

import { useLocation, useNavigationType } from 'react-router-dom';

import styles from './PageHeading.module.css';

/** What the headings of a page need to know of it. */
export interface PageOfHeadings {
  /** Appended to the document title. */
  siteName: string;
  /**
   * The browser's load of the page, with the path of its first screen once that is drawn. Null after
   * a navigation, or if a screen of the app led to the load.
   */
  browserLoad: { current: { path: string | null } | null };
}

export const PageContext = createContext<PageOfHeadings>({
  siteName: '',
  browserLoad: { current: { path: null } },
});

/**
 * Focuses the heading after each navigation, so that screen readers announce the new screen and Tab
 * goes on from it. Not on the screen that the browser loads and announces itself, also when another
 * heading follows there.
 */
function useFocusAfterNavigation() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const { browserLoad } = useContext(PageContext);
  // A link may be followed before the first screen has come.
  const isFollowed = useNavigationType() === 'PUSH';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen.
  useEffect(() => {
    const load = browserLoad.current;
    if (load && !isFollowed && (load.path ?? pathname) === pathname) {
      load.path = pathname;
      return;
    }
    browserLoad.current = null;
    // Scrolling is left to the router.
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}

/**
 * Returns a function that lets the next heading get the focus also on the screen that the browser has
 * loaded, because something else will be shown there.
 */
export function useNextHeadingFocus(): () => void {
  const { browserLoad } = useContext(PageContext);
  return () => {
    browserLoad.current = null;
  };
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
