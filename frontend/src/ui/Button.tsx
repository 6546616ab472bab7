import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';

import { BorderLink } from '@/ui/BorderLink';
import styles from '@/ui/Button.module.css';
import { classNames } from '@/ui/classNames';
import { Spinner } from '@/ui/Spinner';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

export type ButtonVariant = 'primary' | 'secondary' | 'danger' | 'link';

interface Look {
  variant?: ButtonVariant;
  /** As wide as its column. */
  block?: boolean;
}

function look({ variant = 'primary', block = false }: Look, className?: string): string {
  return classNames(styles.button, styles[variant], block && styles.block, className);
}

type ButtonProps = Look &
  ComponentProps<'button'> & {
    /** Something it started is under way: it keeps the focus, says so, and takes no second press. */
    busy?: boolean;
    /** Before the words; while it is busy the spinner has its place. */
    icon?: ReactNode;
  };

/** A button that acts. What goes somewhere is a `ButtonLink`. */
export function Button({ variant, block, busy = false, icon, children, ...rest }: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else rest.onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      onClick={press}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      className={look({ variant, block }, rest.className)}
    >
      {busy ? <Turning inPlace={icon !== undefined || variant === 'link'} /> : icon}
      {children}
    </button>
  );
}

/** In place of an icon; where there is none, in the room before the words, so that these neither move nor break anew. */
function Turning({ inPlace }: { inPlace: boolean }) {
  return (
    <span className={classNames(styles.turning, !inPlace && styles.hung)}>
      <Spinner />
    </span>
  );
}

/** A link within the app that looks like a button. */
export function ButtonLink({ variant, block, className, ...rest }: Look & LinkProps) {
  return <BorderLink {...rest} className={look({ variant, block }, className)} />;
}

type ExternalProps = Look & {
  href: string;
  /** Opens beside the portal, and says so to a screen reader. */
  newTab?: boolean;
  children: ReactNode;
};

/** A button-like link to another site. */
export function ButtonAnchor({ variant, block, href, newTab = false, children }: ExternalProps) {
  return (
    <a
      href={href}
      className={look({ variant, block })}
      {...(newTab && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      {children}
      {newTab && <VisuallyHidden> (opens in a new tab)</VisuallyHidden>}
    </a>
  );
}
