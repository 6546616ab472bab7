import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import { usePayPalOffered } from '@/domain/payments/usePayPalOffered';
import styles from './AcceptedMarks.module.css';

const CARDS = ['MASTERCARD', 'VISA', 'AMERICAN_EXPRESS', 'DISCOVER', 'JCB', 'DINERS_CLUB'];

/** The accepted cards and, where the site takes it, PayPal. */
export function AcceptedMarks() {
  const accepted = usePayPalOffered() ? [...CARDS, 'PAYPAL'] : CARDS;
  return (
    <section aria-labelledby="we-accept" className={styles.accepted}>
      <h2 id="we-accept">We accept</h2>
      <ul className={styles.marks}>
        {accepted.map((brand) => (
          <li key={brand}>
            <CardBrandMark brand={brand} />
          </li>
        ))}
      </ul>
    </section>
  );
}
