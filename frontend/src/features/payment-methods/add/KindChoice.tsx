import { type Ref, useId } from 'react';
import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import type { SourceKind } from '@/domain/payments/paymentSources';
import { usePayPalOffered } from '@/domain/payments/usePayPalOffered';
import { FieldError } from '@/ui/forms/FieldError';
import { RadioTile } from '@/ui/forms/RadioTile';
import styles from './KindChoice.module.css';

interface Kind {
  kind: SourceKind;
  name: string;
  brand: string;
}

const CARD: Kind = { kind: 'CARD', name: 'Card', brand: 'OTHER' };
const PAYPAL: Kind = { kind: 'PAYPAL', name: 'PayPal', brand: 'PAYPAL' };

interface KindChoiceProps {
  chosen: SourceKind | null;
  error: string | null;
  firstRef: Ref<HTMLInputElement>;
  onChoose: (kind: SourceKind) => void;
}

/** Radio buttons for card and, where the site takes it, PayPal. */
export function KindChoice({ chosen, error, firstRef, onChoose }: KindChoiceProps) {
  const id = useId();
  const kinds = usePayPalOffered() ? [CARD, PAYPAL] : [CARD];
  return (
    <fieldset className={styles.kinds} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={styles.legend}>Payment method</legend>
      {kinds.map(({ kind, name, brand }, index) => (
        <RadioTile
          key={kind}
          group={id}
          label={name}
          checked={chosen === kind}
          describedBy={error ? `${id}-error` : undefined}
          inputRef={index === 0 ? firstRef : undefined}
          onChoose={() => onChoose(kind)}
        >
          <CardBrandMark brand={brand} decorative />
        </RadioTile>
      ))}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </fieldset>
  );
}
