import { useState } from 'react';

import { ChargeNotice } from './ChargeNotice';
import { DueDialog } from './DueDialog';
import { HeldMethod } from './HeldMethod';
import { Legal } from './Legal';
import styles from './PaymentForm.module.css';
import { PayPalButton } from './PayPalButton';
import { ProviderFailure } from './ProviderFailure';
import { TryEnded } from './TryEnded';
import { useChargebee } from './useChargebee';
import type { Edited } from './useEdited';
import { usePayPalKeeping } from './usePayPalKeeping';
import { Ways } from './Ways';
import { becomesDefault } from './words';

interface PayPalLinkProps {
  edited: Edited;
  amountDue: number;
}

/** Links a PayPal account: the payer agrees at PayPal, and the portal keeps what was agreed to. */
export function PayPalLink({ edited, amountDue }: PayPalLinkProps) {
  const { source } = edited;
  const { instance, isFailed, retry } = useChargebee();
  const [attempt, setAttempt] = useState(0);
  const { change, notKept, keep, forget, askAgain } = usePayPalKeeping(edited);
  const tryAgain = () => {
    forget();
    setAttempt(attempt + 1);
  };
  return (
    <div className={styles.form}>
      {source && <HeldMethod source={source} />}
      <ChargeNotice
        amountDue={amountDue}
        when={`as soon as you have ${source ? 'updated' : 'added'} your PayPal account`}
      />
      <p>Click the PayPal logo below to securely link your PayPal account directly via PayPal.</p>
      {isFailed && <ProviderFailure onRetry={retry} />}
      {notKept && <TryEnded {...notKept} onTryAgain={askAgain ?? tryAgain} />}
      {!isFailed && !notKept && (
        <PayPalButton key={attempt} instance={instance} onAgreed={keep} onTryAgain={tryAgain} />
      )}
      <Ways />
      <Legal />
      <DueDialog change={change} name="this PayPal account">
        {becomesDefault(source)}
      </DueDialog>
    </div>
  );
}
