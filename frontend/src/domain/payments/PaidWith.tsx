import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { CardBrandMark, cardBrandName } from './CardBrandMark';
import styles from './PaidWith.module.css';

export interface PaidWithProps {
  /** The provider's type in upper case; null if nothing was charged. */
  paymentSourceType: string | null;
  paymentSourceName: string | null;
  cardBrand: string | null;
  last4: string | null;
  paypalEmail: string | null;
}

/**
 * What an invoice was paid with: a card's brand and last four digits, a PayPal address, or the name
 * of another method.
 */
export function PaidWith(props: PaidWithProps) {
  const { paymentSourceType, paymentSourceName, cardBrand, last4, paypalEmail } = props;
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
    case null:
      return (
        <>
          <span aria-hidden="true">–</span>
          <VisuallyHidden>Nothing charged</VisuallyHidden>
        </>
      );
    default:
      return (
        <span className={styles.paid}>
          <CardBrandMark brand={paymentSourceType} isType decorative />
          <span className={styles.name}>
            {paymentSourceName}
            {last4 && (
              <>
                {' '}
                <span aria-hidden="true" className={styles.digits}>
                  •••• {last4}
                </span>
                <VisuallyHidden>ending in {last4}</VisuallyHidden>
              </>
            )}
          </span>
        </span>
      );
  }
}
