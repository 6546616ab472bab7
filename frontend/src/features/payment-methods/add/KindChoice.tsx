import { type Ref, useId } from 'react';
import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import type { SourceKind } from '@/domain/payments/paymentSources';
import { FieldError } from '@/ui/FieldError';
import styles from './KindChoice.module.css';

const KINDS: readonly { kind: SourceKind; name: string; brand: string }[] = [
  { kind: 'CARD', name: 'Card', brand: 'OTHER' },
  { kind: 'PAYPAL', name: 'PayPal', brand: 'PAYPAL' },
];

interface KindChoiceProps {
  chosen: SourceKind | null;
  error: string | null;
  firstRef: Ref<HTMLInputElement>;
  onChoose: (kind: SourceKind) => void;
}

/** Radio buttons for card and PayPal. */
export function KindChoice({ chosen, error, firstRef, onChoose }: KindChoiceProps) {
  const id = useId();
  return (
    <fieldset className={styles.kinds} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={styles.legend}>Payment method</legend>
      {KINDS.map(({ kind, name, brand }, index) => (
        <label key={kind} className={styles.kind}>
          <input
            ref={index === 0 ? firstRef : undefined}
            type="radio"
            name={id}
            checked={chosen === kind}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={() => onChoose(kind)}
          />
          <span className={styles.name}>{name}</span>
          <CardBrandMark brand={brand} decorative />
        </label>
      ))}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </fieldset>
  );
}
