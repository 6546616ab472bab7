import type { ReactNode } from 'react';
import { CardBrandMark, cardBrandName } from '@/domain/payments/CardBrandMark';
import { expiryDate, markProps, sourceKind } from '@/domain/payments/paymentSources';
import { ownerName } from '@/features/payment-methods/shared/messages';
import type { PaymentSource } from '@/lib/api/types';
import { StatusPill } from '@/ui/display/StatusPill';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './AddedMethod.module.css';

/** The stored details of a payment method. */
export function AddedMethod({ source }: { source: PaymentSource }) {
  const isPayPal = sourceKind(source) === 'PAYPAL';
  return (
    <>
      <div className={styles.head}>
        <CardBrandMark {...markProps(source)} decorative />
        <p className={styles.brand}>{isPayPal ? 'PayPal' : cardBrandName(source.brand)}</p>
        {source.primaryPaymentSource && <StatusPill tone="info">Default</StatusPill>}
      </div>
      <dl className={styles.facts}>
        {source.maskedNumber && (
          <Fact term="Card number">
            <span aria-hidden="true">{source.maskedNumber.replaceAll('*', '•')}</span>
            <VisuallyHidden>ending in {source.maskedNumber.slice(-4)}</VisuallyHidden>
          </Fact>
        )}
        <Fact term="PayPal account">{source.email}</Fact>
        <Fact term={isPayPal ? 'Name' : 'Name on card'}>{ownerName(source)}</Fact>
        <Fact term="Expires">{expiryDate(source)}</Fact>
      </dl>
    </>
  );
}

/** A detail; nothing if it is unknown. */
function Fact({ term, children }: { term: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
