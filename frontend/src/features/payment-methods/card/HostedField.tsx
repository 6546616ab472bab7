import { CardCVV, CardExpiry, CardNumber } from '@chargebee/chargebee-js-react-wrapper';
import { type Ref, useId, useImperativeHandle, useRef } from 'react';

import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import { classNames } from '@/ui/classNames';
import { LiveFieldError } from '@/ui/forms/FieldError';
import styles from './HostedField.module.css';
import {
  HOSTED_FIELD_LABELS,
  type HostedFieldEvent,
  type HostedFieldKind,
  MISSING_MESSAGES,
} from './hostedFields';
import type { HostedFields } from './useHostedFields';

const FIELDS = { number: CardNumber, expiry: CardExpiry, cvv: CardCVV } as const;

const PLACEHOLDERS = { number: '', expiry: 'MM / YY', cvv: '' } as const;

/** The wrapper types these as React events, but the provider passes its own. */
function asReactListener(handleEvent: (event: HostedFieldEvent) => void) {
  return handleEvent as never;
}

/** Moves the focus into the provider's frame. */
export interface Focusable {
  focus: () => void;
}

interface HostedFieldProps {
  ref: Ref<Focusable>;
  kind: HostedFieldKind;
  hostedFields: HostedFields;
  /** Shows an error for an incomplete field, after an attempt to submit. */
  showMissing: boolean;
}

/** One of the provider's fields with our label, its latest error and a visible focus. */
export function HostedField({ ref, kind, hostedFields, showMissing }: HostedFieldProps) {
  const id = useId();
  const Field = FIELDS[kind];
  const field = useRef<Focusable>(null);
  const { isFocused, isComplete, isReady, error, cardType } = hostedFields.states[kind];
  const { awaitedFocus } = hostedFields;
  function focusField(): void {
    // The provider’s frame drops a focus that comes before it is ready.
    if (isReady) field.current?.focus();
    else awaitedFocus.current = kind;
  }
  function handleReady(): void {
    hostedFields.markReady(kind);
    const isElsewhere = document.activeElement !== document.body;
    if (awaitedFocus.current === kind && !isElsewhere) field.current?.focus();
  }
  useImperativeHandle(ref, () => ({ focus: focusField }));
  const message = error ?? (showMissing && !isComplete ? MISSING_MESSAGES[kind] : null);
  return (
    <div className={styles.field}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field itself can be reached by keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: works like a click on a label. */}
      <span id={`${id}-label`} className={styles.label} onClick={focusField}>
        {HOSTED_FIELD_LABELS[kind]}
      </span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: for the space around the frame, which is only as high as its text. */}
      {/* biome-ignore lint/a11y/useSemanticElements: the field is in the provider's frame, so a fieldset does not fit. */}
      <div
        role="group"
        onClick={focusField}
        aria-labelledby={`${id}-label`}
        aria-describedby={message ? `${id}-error` : undefined}
        aria-busy={!isReady}
        className={classNames(
          styles.control,
          isFocused && styles.focused,
          message !== null && styles.invalid,
        )}
      >
        <Field
          ref={field as never}
          // The box has our own mark of the brand.
          icon={false}
          placeholder={PLACEHOLDERS[kind]}
          ariaLabel={HOSTED_FIELD_LABELS[kind]}
          onReady={asReactListener(handleReady)}
          onFocus={asReactListener(() => hostedFields.setFocused(kind, true))}
          onBlur={asReactListener((event) => {
            hostedFields.setFocused(kind, false);
            hostedFields.recordEvent(kind, event);
          })}
          onChange={asReactListener((event) => hostedFields.recordEdit(kind, event))}
        />
        {kind === 'number' && <CardBrandMark brand={cardType} decorative={cardType === 'other'} />}
      </div>
      <LiveFieldError id={`${id}-error`}>{message}</LiveFieldError>
    </div>
  );
}
