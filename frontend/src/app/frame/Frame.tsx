import { type FocusEvent, type MouseEvent, type ReactNode, useRef } from 'react';

import { ConnectionNotice } from '@/app/notices/ConnectionNotice';
import { Footer } from './Footer';
import styles from './Frame.module.css';
import { Header } from './Header';

interface FrameProps {
  /** The profile menu, beside the logo. */
  menu?: ReactNode;
  /** The links to the areas of the account. */
  nav?: ReactNode;
  /** Between the header and the screen. */
  banner?: ReactNode;
  children: ReactNode;
}

/** Header, notices, the screen and footer. */
export function Frame({ menu, nav, banner, children }: FrameProps) {
  const content = useRef<HTMLElement>(null);
  const skipToContent = (event: MouseEvent) => {
    // Going to the fragment would make a history entry without the state of this one, on which the
    // screen may depend.
    event.preventDefault();
    content.current?.setAttribute('tabindex', '-1');
    content.current?.focus();
  };
  // Otherwise a click on its text would focus it, too.
  const makeUnfocusable = ({ target, currentTarget }: FocusEvent) => {
    if (target === currentTarget) currentTarget.removeAttribute('tabindex');
  };
  return (
    <div className={styles.layout}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page. */}
      <a href="#content" className={styles.skip} onClick={skipToContent}>
        Skip to content
      </a>
      <Header menu={menu} />
      {nav}
      {banner}
      <main id="content" ref={content} onBlur={makeUnfocusable} className={styles.content}>
        <ConnectionNotice />
        {children}
      </main>
      <Footer />
    </div>
  );
}
