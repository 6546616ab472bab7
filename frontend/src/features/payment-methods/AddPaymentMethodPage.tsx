import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { paymentsOptions } from '@/lib/api/queries';
import { paths } from '@/lib/paths';
import { addAddress } from '@/lib/paymentSources';
import { useScreenLoad } from '@/lib/screenLoad';
import { usePaymentSourceDetails } from '@/stores/paymentSourceDetails';
import { notify, useSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { BackLink } from '@/ui/TextLink';
import { AcceptedMarks } from './AcceptedMarks';
import { ChargeNotice } from './ChargeNotice';
import { KindChoice } from './KindChoice';
import styles from './PaymentForm.module.css';
import { Ways } from './Ways';

const NOT_CHOSEN = 'Choose payment method to continue';

/** A card or PayPal: what is to be added. */
export default function AddPaymentMethodPage() {
  const payments = useQuery(paymentsOptions);
  // What is due is said as soon as it is known; choosing does not wait for it.
  useScreenLoad(payments);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="How would you like to pay?">Add Payment Method</PageHeading>
      <Card className={styles.card}>
        <ChargeNotice
          amountDue={payments.data?.amountDue ?? 0}
          when="as soon as you have added a payment method"
        />
        <ChoiceForm />
      </Card>
      <AcceptedMarks />
    </Page>
  );
}

function ChoiceForm() {
  const { paymentsource, choose } = usePaymentSourceDetails();
  const [error, setError] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (paymentsource !== null) {
      useSnackbar.getState().hide();
      const { to, state } = addAddress(paymentsource);
      return void navigate(to, { state });
    }
    notify(NOT_CHOSEN, 'warning');
    setError(NOT_CHOSEN);
    first.current?.focus();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <KindChoice
        firstRef={first}
        chosen={paymentsource}
        error={error}
        onChoose={(kind) => {
          choose(kind);
          setError(null);
        }}
      />
      <Ways>
        <Button type="submit" block>
          Continue
        </Button>
      </Ways>
    </form>
  );
}
