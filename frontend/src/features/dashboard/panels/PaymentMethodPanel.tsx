import { useQuery } from '@tanstack/react-query';
import { PaidWith } from '@/domain/payments/PaidWith';
import { defaultSource, expiryDate, paidWithProps } from '@/domain/payments/paymentSources';
import { paymentsOptions } from '@/lib/api/queries';
import type { Payments } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Skeleton } from '@/ui/loading/Skeleton';
import { TextLink } from '@/ui/navigation/TextLink';
import styles from './Panel.module.css';

/** The default payment method, and a link to change it. */
export function PaymentMethodPanel() {
  const payments = useQuery(paymentsOptions);
  const failure = findLoadFailure(payments);
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
      {payments.data && <DefaultPaymentMethod payments={payments.data} />}
    </Card>
  );
}

function DefaultPaymentMethod({ payments }: { payments: Payments }) {
  const source = defaultSource(payments);
  if (!source) {
    return (
      <>
        <p className={styles.muted}>No payment method yet</p>
        <TextLink to={paths.addPaymentMethod}>Add a payment method</TextLink>
      </>
    );
  }
  const expiry = expiryDate(source);
  return (
    <>
      <p className={styles.paid}>
        <PaidWith {...paidWithProps(source)} />
        {expiry && (
          <span className={styles.muted}>
            {source.status === 'EXPIRED' ? 'Expired' : 'Expires'} {expiry}
          </span>
        )}
      </p>
      <TextLink to={paths.paymentMethods}>Change payment method</TextLink>
    </>
  );
}
