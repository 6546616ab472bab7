import type { ReactNode } from 'react';

import type { PaymentSource } from '@/lib/api/types';
import { expiryOf, kindOf } from '@/lib/paymentSources';
import { CardBrandMark, cardBrandName } from '@/ui/icons/CardBrandMark';
import { StatusPill } from '@/ui/StatusPill';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './AddedMethod.module.css';
import { ownerName } from './words';

/** What is kept of a payment method. */
export function AddedMethod({ source }: { source: PaymentSource }) {
  const isPayPal = kindOf(source) === 'PAYPAL';
  return (
    <>
      <div className={styles.head}>
        <CardBrandMark brand={source.brand} decorative />
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
        <Fact term="Expires">{expiryOf(source)}</Fact>
      </dl>
    </>
  );
}

/** One line; none where it is not known. */
function Fact({ term, children }: { term: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
