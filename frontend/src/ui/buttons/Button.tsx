import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';
import { classNames } from '@/ui/classNames';
import { Spinner } from '@/ui/loading/Spinner';
import { AppLink } from '@/ui/navigation/AppLink';
import { SentenceCase } from '@/ui/text/SentenceCase';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './Button.module.css';

export type ButtonVariant = 'primary' | 'secondary' | 'link';

interface ButtonLook {
  variant?: ButtonVariant;
  /** Full width on a phone. */
  block?: boolean;
}

function buttonClassName(
  { variant = 'primary', block = false }: ButtonLook,
  className?: string,
): string {
  return classNames(styles.button, styles[variant], block && styles.block, className);
}

type ButtonProps = ButtonLook &
  ComponentProps<'button'> & {
    /**
     * An action is running: the button keeps the focus, is announced as busy, and ignores clicks.
     */
    busy?: boolean;
    /** Shown before the label; replaced by the spinner while busy. */
    icon?: ReactNode;
  };

/** A button for actions. For navigation use `ButtonLink`. */
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
      className={buttonClassName({ variant, block }, rest.className)}
    >
      {busy ? <ButtonSpinner hasPlace={icon !== undefined || variant === 'link'} /> : icon}
      <SentenceCase>{children}</SentenceCase>
    </button>
  );
}

/**
 * Replaces the icon, or else goes into the padding before the label, so that the label neither
 * moves nor wraps differently.
 */
function ButtonSpinner({ hasPlace }: { hasPlace: boolean }) {
  return (
    <span className={classNames(styles.spinner, !hasPlace && styles.overhanging)}>
      <Spinner />
    </span>
  );
}

/** A link within the app that looks like a button. */
export function ButtonLink({
  variant,
  block,
  className,
  children,
  ...rest
}: ButtonLook & LinkProps) {
  return (
    <AppLink {...rest} className={buttonClassName({ variant, block }, className)}>
      <SentenceCase>{children}</SentenceCase>
    </AppLink>
  );
}

type ExternalProps = ButtonLook & {
  href: string;
  /** Opens in a new tab, and says so to screen readers. */
  newTab?: boolean;
  children: ReactNode;
};

/** A link to another site that looks like a button. */
export function ButtonAnchor({ variant, block, href, newTab = false, children }: ExternalProps) {
  return (
    <a
      href={href}
      className={buttonClassName({ variant, block })}
      {...(newTab && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      <SentenceCase>{children}</SentenceCase>
      {newTab && <VisuallyHidden> (opens in a new tab)</VisuallyHidden>}
    </a>
  );
}
