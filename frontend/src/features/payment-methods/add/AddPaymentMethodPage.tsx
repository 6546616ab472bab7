import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { addAddress } from '@/domain/payments/paymentSources';
import { readPlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';
import { AcceptedMarks } from '@/features/payment-methods/shared/AcceptedMarks';
import { ChargeNotice } from '@/features/payment-methods/shared/ChargeNotice';
import { FormActions } from '@/features/payment-methods/shared/FormActions';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { paymentsOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { usePaymentSourceDetails } from '@/stores/paymentSourceDetails';
import { showSnackbar, useSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { BackLink } from '@/ui/navigation/TextLink';
import { KindChoice } from './KindChoice';

const NOT_CHOSEN = 'Choose payment method to continue';

/** The choice between adding a card and adding PayPal. */
export default function AddPaymentMethodPage() {
  const payments = useQuery(paymentsOptions);
  // The amount due is shown once loaded; the form does not wait for it.
  useScreenLoad(payments);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading lead="How would you like to pay?">Add Payment Method</PageHeading>
      <Columns aside={<AcceptedMarks />}>
        <Card className={styles.card}>
          <ChargeNotice
            amountDue={payments.data?.amountDue ?? 0}
            when="when you add a payment method"
          />
          <KindForm />
        </Card>
      </Columns>
    </Page>
  );
}

function KindForm() {
  const { paymentsource, choose } = usePaymentSourceDetails();
  const [error, setError] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const [query] = useSearchParams();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (paymentsource !== null) {
      useSnackbar.getState().hide();
      const { to, state } = addAddress(paymentsource);
      return void navigate(withPlanOrder(to, readPlanOrder(query)), { state });
    }
    showSnackbar(NOT_CHOSEN, 'warning');
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
      <FormActions>
        <Button type="submit" block>
          Continue
        </Button>
      </FormActions>
    </form>
  );
}
