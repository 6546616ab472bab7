import { useId } from 'react';
import { useNavigate } from 'react-router-dom';
import { createReceiptState } from '@/domain/changes/receipts';
import { sumRows, yearlyTotal } from '@/domain/costs/totals';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { PlanChoices } from '@/domain/plans/PlanChoices';
import { notesId, type PlanLine, PlanTable } from '@/domain/plans/PlanTable';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { planRowFacts } from '@/domain/plans/planRow';
import { type PeriodAction, planNotes } from '@/domain/plans/plans';
import { type PlanSelection, usePlanSelection } from '@/domain/plans/usePlanSelection';
import { changePeriod } from '@/features/subscriptions/shared/api';
import { ChangeDialogs } from '@/features/subscriptions/shared/ChangeDialogs';
import { CostChange } from '@/features/subscriptions/shared/CostChange';
import { EstimateFailure } from '@/features/subscriptions/shared/EstimateFailure';
import { StillOwed } from '@/features/subscriptions/shared/StillOwed';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import { addChargeSentence, summaryAddress } from '@/features/subscriptions/shared/summary';
import { useLatest } from '@/features/subscriptions/shared/useLatest';
import { usePlanChange } from '@/features/subscriptions/shared/usePlanChange';
import type { ManagePlans, PeriodEstimate, Plan } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { formatCents, formatPrice, type Terms } from '@/lib/formats';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { Button } from '@/ui/buttons/Button';
import { classNames } from '@/ui/classNames';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { BareCheckbox } from '@/ui/forms/BareCheckbox';
import {
  periodConfirmLabel,
  periodDoneSentences,
  plannedSentences,
  upgradeCharge,
} from './messages';
import { usePeriodEstimate } from './usePeriodEstimate';

const FREE_MONTH_WARNING = 'Upgrading removes your unused free month.';

/** In the URL, so that going back restores the selection. */
const PARAMETER = 'planIds';

interface PeriodChoiceProps {
  action: PeriodAction;
  costs: ManagePlans;
  /** The plans that can be changed; at least one. */
  candidates: readonly Plan[];
  setFrozen: SetFrozen;
}

/** The plans to change, the costs and savings, and the save button, which asks for confirmation. */
export function PeriodChoice({ action, costs, candidates, setFrozen }: PeriodChoiceProps) {
  const selection = usePlanSelection(candidates, {
    purpose: 'change',
    parameter: PARAMETER,
    idOf: ({ id }) => id,
  });
  const periodEstimate = usePeriodEstimate(action, selection.chosen);
  const { estimate, shown } = periodEstimate;
  useScreenLoad(estimate);
  const change = usePeriodChange(action, selection.chosen, periodEstimate.estimateKey, setFrozen);
  const isEmpty = selection.chosen.length === 0;
  const failed = !isEmpty && estimate.isError && !estimate.isFetching;
  const preview = isEmpty || failed ? undefined : shown;
  // The checkboxes appear with the first response and then stay, so that the selection can change
  // after a failure.
  const showsPlans = useLatest(preview || isEmpty || failed ? true : undefined);
  return (
    <>
      {!showsPlans && <PlanTableSkeleton />}
      {showsPlans && (
        <div
          className={classNames(styles.choice, preview && !periodEstimate.figures && styles.stale)}
        >
          <PlansToChange {...{ action, candidates, selection, preview }} />
          {preview && <CostChange now={costs} then={preview} chargedPlanIds={preview.planIds} />}
        </div>
      )}
      {failed && <EstimateFailure estimate={estimate} />}
      <Button
        disabled={!preview && !isEmpty}
        onClick={isEmpty ? () => selection.refuse('change') : change.ask}
        block
      >
        SAVE CHANGES
      </Button>
      <AgreementLinks />
      <PeriodDialogs {...{ action, costs, chosen: selection.chosen, periodEstimate, change }} />
    </>
  );
}

interface PeriodDialogsProps {
  action: PeriodAction;
  costs: ManagePlans;
  chosen: readonly Plan[];
  periodEstimate: ReturnType<typeof usePeriodEstimate>;
  change: ReturnType<typeof usePeriodChange>;
}

function PeriodDialogs({ action, costs, chosen, periodEstimate, change }: PeriodDialogsProps) {
  const { estimate, figures, planIds } = periodEstimate;
  return (
    <ChangeDialogs
      change={change}
      title={action === 'upgrade' ? 'Upgrade to annual billing?' : 'Downgrade to monthly billing?'}
      estimate={estimate}
      nothingLeft={chosen.length === 0}
      sentences={plannedSentences(action, chosen)}
      figures={
        figures && <CostChange now={costs} then={figures} chargedPlanIds={figures.planIds} />
      }
      owed={<StillOwed adjusted={figures} />}
      warning={figures?.removesFreeMonth && FREE_MONTH_WARNING}
      confirmText={periodConfirmLabel(action, figures)}
      onConfirm={() => figures && change.command.mutate({ planIds, quote: figures.quote })}
      declinedCharge={figures ? upgradeCharge(action, figures, planIds) : null}
    />
  );
}

function usePeriodChange(
  action: PeriodAction,
  chosen: readonly Plan[],
  estimateKey: ReturnType<typeof usePeriodEstimate>['estimateKey'],
  setFrozen: SetFrozen,
) {
  const navigate = useNavigate();
  return usePlanChange<PeriodEstimate>({
    send: (order, idempotencyKey) => changePeriod(action, order, idempotencyKey),
    estimateKey,
    setFrozen,
    onDone: (answer, plans) => {
      const inTrial = action === 'downgrade' && answer.isImmediate;
      void navigate(summaryAddress(inTrial ? 'downgrade_with_trial' : action), {
        state: createReceiptState(
          addChargeSentence(periodDoneSentences(action, chosen), answer),
          plans,
          chosen.map(({ subId }) => subId),
        ),
      });
    },
  });
}

interface PlansToChangeProps {
  action: PeriodAction;
  candidates: readonly Plan[];
  selection: PlanSelection;
  /** Undefined if nothing is chosen, or if there is no estimate. */
  preview: PeriodEstimate | undefined;
}

/** The plans with checkboxes and, once estimated, the yearly savings and the totals. */
function PlansToChange({ action, candidates, selection, preview }: PlansToChangeProps) {
  const ids = useId();
  const lines = candidates.map((plan) => {
    const isChosen = selection.chosen.includes(plan);
    const futurePlan = preview?.existingPlans.find(({ subId }) => subId === plan.subId);
    const mark = { id: `${ids}${plan.id}`, isChosen };
    return planLine(plan, isChosen ? (futurePlan ?? plan) : plan, mark, (on) =>
      selection.togglePlan(plan, on),
    );
  });
  return (
    <>
      {preview && <CreditNotice action={action} preview={preview} />}
      <PlanChoices selection={selection}>
        <PlanTable
          caption="Your Subscriptions"
          lines={lines}
          sums={preview ? [...annualSavingsRow(action, preview), ...sumRows(preview)] : []}
        />
      </PlanChoices>
      {preview?.removesFreeMonth && <InfoAlert>{FREE_MONTH_WARNING}</InfoAlert>}
    </>
  );
}

function planLine(
  plan: Plan,
  shown: Pick<Plan, 'amount'> & Terms,
  { id, isChosen }: { id: string; isChosen: boolean },
  onChange: (on: boolean) => void,
): PlanLine {
  const now = `Now ${formatPrice(plan.amount, plan)}`;
  return {
    key: id,
    ...planRowFacts({ ...plan, ...shown }),
    notes: [...(isChosen ? [now] : ['Stays as it is']), ...planNotes(plan)],
    markId: id,
    mark: (
      <BareCheckbox
        id={id}
        label={plan.name}
        checked={isChosen}
        describedBy={notesId(id)}
        onChange={onChange}
      />
    ),
  };
}

function annualSavingsRow(
  action: PeriodAction,
  { annualSavings: cents, dueCurrencyCode }: PeriodEstimate,
) {
  if (cents <= 0) return [];
  const row = {
    key: 'annual-savings',
    label: `You save ${formatCents(cents, dueCurrencyCode)} in annual cost`,
    kind: 'saving' as const,
  };
  return [action === 'upgrade' ? row : { ...row, note: 'while you’re billed annually' }];
}

/** The credit for the rest of the paid month. */
function CreditNotice({ action, preview }: { action: PeriodAction; preview: PeriodEstimate }) {
  if (action !== 'upgrade' || preview.credits <= 0) return null;
  const { credits, dueCurrencyCode } = preview;
  return (
    <InfoAlert>
      Your total is{' '}
      <strong>{formatCents(yearlyTotal(preview, dueCurrencyCode), dueCurrencyCode)}</strong> per
      year. You get a credit of <strong>{formatCents(credits, dueCurrencyCode)}</strong> for the
      remaining days of your monthly subscription.
    </InfoAlert>
  );
}
