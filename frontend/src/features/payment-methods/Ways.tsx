import type { ReactNode } from 'react';

import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/Button';
import styles from './PaymentForm.module.css';

/** What a form ends with: what it does, and the way back that does nothing. */
export function Ways({ children }: { children?: ReactNode }) {
  return (
    <div className={styles.ways}>
      {children}
      <ButtonLink variant="secondary" to={paths.paymentMethods} block>
        Back to payment methods
      </ButtonLink>
    </div>
  );
}
