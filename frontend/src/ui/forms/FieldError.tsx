import type { ReactNode } from 'react';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import styles from './FieldError.module.css';

interface FieldErrorProps {
  /** The id for the field's `aria-describedby`. */
  id?: string;
  children: ReactNode;
}

/** The error beside a field or a group. */
export function FieldError({ id, children }: FieldErrorProps) {
  return (
    <div id={id} className={styles.error}>
      <AlertIcon />
      <div>{children}</div>
    </div>
  );
}

/**
 * A field error in a live region, for errors that appear while the focus is elsewhere. The region
 * is always rendered.
 */
export function LiveFieldError({ id, children }: FieldErrorProps) {
  return (
    <div role="alert" className={styles.live}>
      {children && <FieldError id={id}>{children}</FieldError>}
    </div>
  );
}
