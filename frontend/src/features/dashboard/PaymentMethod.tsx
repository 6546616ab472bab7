import { useQuery } from '@tanstack/react-query';

import { paymentsOptions } from '@/lib/api/queries';
import type { Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { defaultSource, expiryOf, paidWith } from '@/lib/paymentSources';
import { loadFailure } from '@/lib/screenLoad';
import { Card } from '@/ui/Card';
import { PaidWith } from '@/ui/PaidWith';
import { Skeleton } from '@/ui/Skeleton';
import { ErrorState } from '@/ui/States';
import { TextLink } from '@/ui/TextLink';
import styles from './Panel.module.css';

/** What bills are charged to, and the way to change that. */
export function PaymentMethod() {
  const payments = useQuery(paymentsOptions);
  const failure = loadFailure(payments);
  return (
    <Card as="section" labelledBy="payment-method" className={styles.panel}>
      <h2 id="payment-method">Payment method</h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !payments.data && (
        <>
          <Skeleton width="12rem" height="1.75rem" />
          <Skeleton width="14rem" height="2.25rem" />
        </>
      )}
      {payments.data && <InUse payments={payments.data} />}
    </Card>
  );
}

function InUse({ payments }: { payments: Payments }) {
  const source = defaultSource(payments);
  if (!source) {
    return (
      <>
        <p className={styles.muted}>You have no payment method yet.</p>
        <TextLink to={paths.addPaymentMethod}>Add a payment method</TextLink>
      </>
    );
  }
  const expiry = expiryOf(source);
  return (
    <>
      <p className={styles.paid}>
        <PaidWith {...paidWith(source)} />
        {expiry && (
          <span className={styles.muted}>
            {source.status === 'EXPIRED' ? 'Expired' : 'Expires'} {expiry}
          </span>
        )}
      </p>
      <TextLink to={paths.paymentMethods}>Change your payment method</TextLink>
    </>
  );
}
