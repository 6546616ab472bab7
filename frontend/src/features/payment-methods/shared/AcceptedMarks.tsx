import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import styles from './AcceptedMarks.module.css';

const ACCEPTED = [
  'MASTERCARD',
  'VISA',
  'AMERICAN_EXPRESS',
  'DISCOVER',
  'JCB',
  'DINERS_CLUB',
  'PAYPAL',
];

/** The accepted cards and PayPal. */
export function AcceptedMarks() {
  return (
    <section aria-labelledby="we-accept" className={styles.accepted}>
      <h2 id="we-accept">We accept</h2>
      <ul className={styles.marks}>
        {ACCEPTED.map((brand) => (
          <li key={brand}>
            <CardBrandMark brand={brand} />
          </li>
        ))}
      </ul>
    </section>
  );
}
