import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { readPlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';

import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import styles from './PaymentForm.module.css';

/** The end of a form: its submit button, and a link back to the list, which keeps the plans to add. */
export function FormActions({ children }: { children?: ReactNode }) {
  const [query] = useSearchParams();
  const list = withPlanOrder(paths.paymentMethods, readPlanOrder(query));
  return (
    <div className={styles.actions}>
      {children}
      <ButtonLink variant="secondary" to={list} block>
        Back to payment methods
      </ButtonLink>
    </div>
  );
}
