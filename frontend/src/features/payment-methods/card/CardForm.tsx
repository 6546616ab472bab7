import type { ComponentProps } from 'react';
import { useRef } from 'react';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { sourceName } from '@/domain/payments/methodNames';
import { bankPaymentAddress } from '@/domain/payments/paymentSources';
import { CHECKING_WITH_BANK } from '@/features/payment-methods/shared/bankAuthorization';
import { ChargeNotice } from '@/features/payment-methods/shared/ChargeNotice';
import { CurrentMethod } from '@/features/payment-methods/shared/CurrentMethod';
import { DueDialog } from '@/features/payment-methods/shared/DueDialog';
import { FormActions } from '@/features/payment-methods/shared/FormActions';
import { newDefaultNote } from '@/features/payment-methods/shared/messages';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import type { EditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { formatCents } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { TextField } from '@/ui/forms/Field';
import { TextLink } from '@/ui/navigation/TextLink';
import { CardFields, type CardFieldsHandle } from './CardFields';
import type { DetailName, useCardDetails } from './useCardDetails';
import { useCardForm } from './useCardForm';

function focusField(form: HTMLFormElement | null, name: DetailName): void {
  const field = form?.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

interface CardFormProps {
  edited: EditedSource;
  /** The name that a new card is probably in. */
  newOwner: string;
  amountDue: number;
  currencyCode: string;
}

/** The card form: name, state, zip and the provider's fields. An update may leave those empty. */
export function CardForm({ edited, newOwner, amountDue, currencyCode }: CardFormProps) {
  const { source } = edited;
  const form = useRef<HTMLFormElement>(null);
  const fields = useRef<CardFieldsHandle>(null);
  const card = useCardForm(edited, newOwner, fields, (name) => focusField(form.current, name));
  return (
    <form ref={form} className={styles.form} onSubmit={card.submit} noValidate>
      {source && <CurrentMethod source={source} />}
      <ChargeNotice
        amountDue={amountDue}
        when={source ? 'when you save a new card number' : 'when you add the card'}
      />
      {source && amountDue > 0 && (
        <TextLink {...bankPaymentAddress(source)}>
          Pay {formatCents(amountDue, currencyCode)} with this card
        </TextLink>
      )}
      <DetailField
        details={card.details}
        name="name"
        label="Name on card"
        autoComplete="cc-name"
        maxLength={100}
      />
      <p className={styles.muted}>
        {source && `To keep ${sourceName(source)}, leave these blank. `}
        Your card number, expiry date, and security code go straight to our billing provider. We
        never see them.
      </p>
      <CardFields
        ref={fields}
        hostedFields={card.hostedFields}
        showMissing={card.showMissing}
        fallbackHint={source ? 'You can still change the name, state, and zip code.' : undefined}
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
      {card.isAuthorizing && <InfoAlert>{CHECKING_WITH_BANK}</InfoAlert>}
      {card.failure && <InfoAlert tone={card.failure.tone}>{card.failure.message}</InfoAlert>}
      <FormActions>
        <Button type="submit" busy={card.isBusy} block>
          {source ? 'Save card' : 'Add card'}
        </Button>
      </FormActions>
      <AgreementLinks />
      <DueDialog change={card.change} name="this card">
        {newDefaultNote(source)}
      </DueDialog>
    </form>
  );
}

type DetailFieldProps = Pick<
  ComponentProps<typeof TextField>,
  'label' | 'autoComplete' | 'maxLength'
> & {
  details: ReturnType<typeof useCardDetails>;
  name: DetailName;
};

/** A field of the cardholder's details. */
function DetailField({ details, name, ...field }: DetailFieldProps) {
  return (
    <TextField
      {...field}
      name={name}
      required
      value={details.typed[name]}
      error={details.problems[name] ?? null}
      onChange={(event) => details.changeDetail(name, event.target.value)}
    />
  );
}
