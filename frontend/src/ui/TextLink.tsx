import type { ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';

import { BorderLink } from '@/ui/BorderLink';
import { ArrowLeftIcon } from '@/ui/icons/ArrowLeftIcon';
import styles from '@/ui/TextLink.module.css';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

/** A link within the app, tall enough for a thumb. */
export function TextLink(props: LinkProps) {
  return <BorderLink {...props} className={styles.link} />;
}

/** The way back, above a screen's heading: 'Manage Your Account' unless told. */
export function BackLink({
  to,
  children = 'Manage Your Account',
}: {
  to: string;
  children?: ReactNode;
}) {
  return (
    <BorderLink to={to} className={styles.back}>
      <ArrowLeftIcon />
      {children}
    </BorderLink>
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
