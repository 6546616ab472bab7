import { CardCVV, CardExpiry, CardNumber } from '@chargebee/chargebee-js-react-wrapper';
import { type Ref, useId, useImperativeHandle, useRef } from 'react';

import { classNames } from '@/ui/classNames';
import { LiveFieldError } from '@/ui/FieldError';
import styles from './HostedField.module.css';
import { HOSTED_LABELS, HOSTED_MISSING, type HostedEvent, type HostedKind } from './hostedFields';
import type { Hosted } from './useHostedStates';

const FIELDS = { number: CardNumber, expiry: CardExpiry, cvv: CardCVV } as const;

const PLACEHOLDERS = { number: '', expiry: 'MM / YY', cvv: '' } as const;

/** The wrapper's types take these for events of React's; what comes are the provider's own. */
function listener(hear: (event: HostedEvent) => void) {
  return hear as never;
}

/** What takes the focus into the provider's frame. */
export interface Focusable {
  focus: () => void;
}

interface HostedFieldProps {
  ref: Ref<Focusable>;
  kind: HostedKind;
  hosted: Hosted;
  /** An unfinished field says so: one has tried to send it. */
  insisted: boolean;
}

/** One of the provider's fields, with our label, its latest error and a focus that can be seen. */
export function HostedField({ ref, kind, hosted, insisted }: HostedFieldProps) {
  const id = useId();
  const Field = FIELDS[kind];
  const field = useRef<Focusable>(null);
  useImperativeHandle(ref, () => ({ focus: () => field.current?.focus() }));
  const { isFocused, isComplete, isReady, error } = hosted.states[kind];
  const said = error ?? (insisted && !isComplete ? HOSTED_MISSING[kind] : null);
  return (
    <div className={styles.field}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the field by itself. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as a press on any field's label. */}
      <span id={`${id}-label`} className={styles.label} onClick={() => field.current?.focus()}>
        {HOSTED_LABELS[kind]}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of ours. */}
      <div
        role="group"
        aria-labelledby={`${id}-label`}
        aria-describedby={said ? `${id}-error` : undefined}
        aria-busy={!isReady}
        className={classNames(
          styles.control,
          isFocused && styles.focused,
          said !== null && styles.invalid,
        )}
      >
        <Field
          ref={field as never}
          placeholder={PLACEHOLDERS[kind]}
          ariaLabel={HOSTED_LABELS[kind]}
          onReady={listener(() => hosted.ready(kind))}
          onFocus={listener(() => hosted.focused(kind, true))}
          onBlur={listener((event) => {
            hosted.focused(kind, false);
            hosted.heard(kind, event);
          })}
          onChange={listener((event) => hosted.edited(kind, event))}
        />
      </div>
      <LiveFieldError id={`${id}-error`}>{said}</LiveFieldError>
    </div>
  );
}
