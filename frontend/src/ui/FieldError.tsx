import type { ReactNode } from 'react';

import styles from '@/ui/FieldError.module.css';
import { AlertIcon } from '@/ui/icons/AlertIcon';

interface FieldErrorProps {
  /** By which the field it is about is described. */
  id?: string;
  children: ReactNode;
}

/** What is wrong with a field or a choice, beside it. */
export function FieldError({ id, children }: FieldErrorProps) {
  return (
    <div id={id} className={styles.error}>
      <AlertIcon />
      <div>{children}</div>
    </div>
  );
}

/** The same where it comes while one is elsewhere: read out, so that its place is always there. */
export function LiveFieldError({ id, children }: FieldErrorProps) {
  return (
    <div role="alert" className={styles.live}>
      {children && <FieldError id={id}>{children}</FieldError>}
    </div>
  );
}
