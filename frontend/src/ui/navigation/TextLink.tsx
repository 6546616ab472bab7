import type { ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';
import { ArrowLeftIcon } from '@/ui/icons/ArrowLeftIcon';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { AppLink } from './AppLink';
import styles from './TextLink.module.css';

/** A link within the app with a tall touch target. */
export function TextLink(props: LinkProps) {
  return <AppLink {...props} className={styles.link} />;
}

/** The back link above a screen's heading. */
export function BackLink({ to }: { to: string }) {
  return (
    <AppLink to={to} className={styles.back}>
      <ArrowLeftIcon />
      Manage Your Account
    </AppLink>
  );
}

interface ExternalLinkProps {
  href: string;
  newTab?: boolean;
  children: ReactNode;
}

/** A link to another site. */
export function ExternalLink({ href, newTab = false, children }: ExternalLinkProps) {
  return (
    <a
      href={href}
      className={styles.link}
      {...(newTab && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      {children}
      {newTab && <VisuallyHidden> (opens in a new tab)</VisuallyHidden>}
    </a>
  );
}
