import type { ReactNode } from 'react';

import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import styles from './PaymentForm.module.css';

/** The end of a form: its submit button, and a link back to the list. */
export function FormActions({ children }: { children?: ReactNode }) {
  return (
    <div className={styles.actions}>
      {children}
      <ButtonLink variant="secondary" to={paths.paymentMethods} block>
        Back to payment methods
      </ButtonLink>
    </div>
  );
}
