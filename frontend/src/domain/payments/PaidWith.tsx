import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { CardBrandMark, cardBrandName } from './CardBrandMark';
import styles from './PaidWith.module.css';

export interface PaidWithProps {
  paymentSourceType: 'CARD' | 'PAYPAL_EXPRESS_CHECKOUT' | null;
  cardBrand: string | null;
  last4: string | null;
  paypalEmail: string | null;
}

/** What an invoice was paid with: a card's brand and last four digits, or a PayPal address. */
export function PaidWith({ paymentSourceType, cardBrand, last4, paypalEmail }: PaidWithProps) {
  switch (paymentSourceType) {
    case 'CARD':
      return (
        <span className={styles.paid}>
          <CardBrandMark brand={cardBrand} decorative />
          <VisuallyHidden>
            {cardBrandName(cardBrand)}
            {last4 && ` ending in ${last4}`}
          </VisuallyHidden>
          {last4 && <span aria-hidden="true">•••• {last4}</span>}
        </span>
      );
    case 'PAYPAL_EXPRESS_CHECKOUT':
      return (
        <span className={styles.paid}>
          <CardBrandMark brand="paypal" />
          {paypalEmail && <span className={styles.address}>{paypalEmail}</span>}
        </span>
      );
    default:
      return (
        <>
          <span aria-hidden="true">–</span>
          <VisuallyHidden>No charge</VisuallyHidden>
        </>
      );
  }
}
