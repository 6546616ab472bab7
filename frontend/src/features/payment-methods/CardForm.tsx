import { useRef } from 'react';

import { Button } from '@/ui/Button';
import { InfoAlert } from '@/ui/InfoAlert';
import { CardFields, type CardFieldsHandle } from './CardFields';
import { ChargeNotice } from './ChargeNotice';
import { DetailField } from './DetailField';
import { DueDialog } from './DueDialog';
import { HeldMethod } from './HeldMethod';
import { Legal } from './Legal';
import styles from './PaymentForm.module.css';
import type { DetailName } from './useCardDetails';
import { useCardForm } from './useCardForm';
import type { Edited } from './useEdited';
import { Ways } from './Ways';
import { becomesDefault, sourceName } from './words';

function focusOn(form: HTMLFormElement | null, name: DetailName): void {
  const field = form?.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

interface CardFormProps {
  edited: Edited;
  amountDue: number;
}

/** Name, state and zip, and the provider's fields; when updating, these may be left as they are. */
export function CardForm({ edited, amountDue }: CardFormProps) {
  const { source } = edited;
  const form = useRef<HTMLFormElement>(null);
  const fields = useRef<CardFieldsHandle>(null);
  const card = useCardForm(edited, fields, (name) => focusOn(form.current, name));
  return (
    <form ref={form} className={styles.form} onSubmit={card.submit} noValidate>
      {source && <HeldMethod source={source} />}
      <ChargeNotice
        amountDue={amountDue}
        when={
          source ? 'as soon as the card has a new number' : 'as soon as you have added the card'
        }
      />
      <DetailField
        details={card.details}
        name="name"
        label="Name on card"
        autoComplete="cc-name"
        maxLength={100}
      />
      <p className={styles.muted}>
        {source && `Leave the next three fields empty to keep ${sourceName(source)}. `}
        Number, date and code go straight to our billing provider: we never see them.
      </p>
      <CardFields
        ref={fields}
        hosted={card.hosted}
        insisted={card.insisted}
        meanwhile={source ? 'Name, state and zip code can be changed without it.' : undefined}
      />
      <div className={styles.pair}>
        <DetailField
          details={card.details}
          name="billingState"
          label="State"
          autoComplete="address-level1"
          maxLength={50}
        />
        <DetailField
          details={card.details}
          name="billingZip"
          label="Zip code"
          autoComplete="postal-code"
          maxLength={20}
        />
      </div>
      {card.failure && <InfoAlert tone={card.failure.tone}>{card.failure.words}</InfoAlert>}
      <Ways>
        <Button type="submit" busy={card.isBusy} block>
          {source ? 'Save card' : 'Add card'}
        </Button>
      </Ways>
      <Legal />
      <DueDialog change={card.change} name="this card">
        {becomesDefault(source)}
      </DueDialog>
    </form>
  );
}
