import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { createReceiptState } from '@/domain/changes/receipts';
import { usePlansAfterChange } from '@/domain/changes/usePlansAfterChange';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { canUseCode, willBill } from '@/domain/plans/plans';
import { errorMessage, isUnconfirmed } from '@/lib/api/errors';
import { notifyError } from '@/lib/api/notifyError';
import { managePlansOptions } from '@/lib/api/queries';
import type { Plan, RedeemAnswer } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { formatDate } from '@/lib/formats';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import { paths } from '@/lib/paths';
import { useDrafts } from '@/stores/drafts';
import { showSnackbar, useSnackbar } from '@/stores/snackbar';
import { Button, ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { TextField } from '@/ui/forms/Field';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { BackLink } from '@/ui/navigation/TextLink';
import { redeemCode } from './api';
import styles from './CouponPage.module.css';

const DRAFT = 'code';
const CODE_LENGTH = 30;
const NO_CODE = 'Please enter the coupon code to update';

/** The form to redeem a coupon code. */
export default function CouponPage() {
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="Your discount comes off your next bill. You won’t be charged for this today.">
        Redeem your code
      </PageHeading>
      <Card className={styles.card}>
        <CouponContent />
      </Card>
    </Page>
  );
}

/** A code comes off a bill, so there has to be one to come. */
function CouponContent() {
  const { data: costs } = useQuery(managePlansOptions);
  if (costs && !costs.existingPlans.some(canUseCode)) return <NoBill plans={costs.existingPlans} />;
  return (
    <>
      <CouponForm />
      <AgreementLinks />
    </>
  );
}

function NoBill({ plans }: { plans: readonly Plan[] }) {
  return (
    <EmptyState
      icon={<ReceiptIcon />}
      title="No bill to use a code on"
      action={<ButtonLink to={paths.manageSubscription}>See your subscriptions</ButtonLink>}
    >
      {plans.some(willBill)
        ? 'Codes can’t be used with the subscriptions you have.'
        : 'A code comes off the next bill of an active subscription. You can redeem it once you have one.'}
    </EmptyState>
  );
}

/** Redeems the code and navigates to the summary. */
function useRedeemCode(onRefused: (message: string) => void) {
  const navigate = useNavigate();
  const { refetchPlans } = usePlansAfterChange();
  return useCommand<RedeemAnswer, { code: string }>(redeemCode, {
    onSuccess: async (answer) => {
      useSnackbar.getState().hide();
      const plans = await refetchPlans();
      // If the session has just expired, its draft still holds the code, which is used up.
      useDrafts.getState().forget(DRAFT);
      void navigate(paths.summary, {
        state: createReceiptState([redeemedSentence(answer)], plans),
      });
    },
    onError: (error) => {
      notifyError(error);
      if (!isUnconfirmed(error)) onRefused(errorMessage(error));
    },
  });
}

function CouponForm() {
  const [code, setCode] = useFormDraft(DRAFT, '');
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const showError = (message: string) => {
    setError(message);
    field.current?.focus();
  };
  const redemption = useRedeemCode(showError);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = code.trim();
    if (trimmed !== '') return redemption.mutate({ code: trimmed });
    showSnackbar(NO_CODE, 'warning');
    showError(NO_CODE);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        ref={field}
        label="Code"
        value={code}
        maxLength={CODE_LENGTH}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        error={error}
        onChange={(event) => {
          setCode(event.target.value);
          setError(null);
        }}
      />
      <Button type="submit" busy={redemption.isPending} block>
        APPLY
      </Button>
    </form>
  );
}

/** A sentence about what the code did. */
function redeemedSentence({
  existingPlans,
  appliedTo,
}: Pick<RedeemAnswer, 'existingPlans' | 'appliedTo'>): string {
  const plan = existingPlans.find(({ subId }) => subId === appliedTo);
  if (!plan) return 'Your code was applied to your next bill.';
  const when = plan.nextBillingAt ? ` on ${formatDate(plan.nextBillingAt)}` : '';
  return `Your code was applied to your next ${plan.name} bill${when}.`;
}
