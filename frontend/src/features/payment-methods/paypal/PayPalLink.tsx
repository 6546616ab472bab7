import { useState } from 'react';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { ChargeNotice } from '@/features/payment-methods/shared/ChargeNotice';
import { CurrentMethod } from '@/features/payment-methods/shared/CurrentMethod';
import { DueDialog } from '@/features/payment-methods/shared/DueDialog';
import { FormActions } from '@/features/payment-methods/shared/FormActions';
import { newDefaultNote } from '@/features/payment-methods/shared/messages';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { ProviderFailure } from '@/features/payment-methods/shared/ProviderFailure';
import { useChargebee } from '@/features/payment-methods/shared/useChargebee';
import type { EditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { PayPalAttemptEnd } from './PayPalAttemptEnd';
import { PayPalButton } from './PayPalButton';
import { useSavePayPal } from './useSavePayPal';

interface PayPalLinkProps {
  edited: EditedSource;
  amountDue: number;
}

/** Links a PayPal account: the payer approves at PayPal, and the portal saves the account. */
export function PayPalLink({ edited, amountDue }: PayPalLinkProps) {
  const { source } = edited;
  const { instance, isFailed, retry } = useChargebee();
  const [attempt, setAttempt] = useState(0);
  const { change, saveFailure, saveAccount, clearFailure, askAgain } = useSavePayPal(edited);
  const tryAgain = () => {
    clearFailure();
    setAttempt(attempt + 1);
  };
  return (
    <div className={styles.form}>
      {source && <CurrentMethod source={source} />}
      <ChargeNotice
        amountDue={amountDue}
        when={`when you ${source ? 'update' : 'add'} your PayPal account`}
      />
      <p>Click the PayPal logo below to securely link your PayPal account directly via PayPal.</p>
      {isFailed && <ProviderFailure onRetry={retry} />}
      {saveFailure && <PayPalAttemptEnd {...saveFailure} onTryAgain={askAgain ?? tryAgain} />}
      {!isFailed && !saveFailure && (
        <PayPalButton
          key={attempt}
          instance={instance}
          onAgreed={saveAccount}
          onTryAgain={tryAgain}
        />
      )}
      <FormActions />
      <AgreementLinks />
      <DueDialog change={change} name="this PayPal account">
        {newDefaultNote(source)}
      </DueDialog>
    </div>
  );
}
