import { useId } from 'react';
import { useNavigate } from 'react-router-dom';

import type { ManagePlans, Plan, Preview } from '@/lib/api/types';
import { formatCents, formatPrice } from '@/lib/formats';
import { planFacts } from '@/lib/planFacts';
import { type PeriodAction, planNotes } from '@/lib/plans';
import { toReceipt } from '@/lib/receipts';
import { useScreenLoad } from '@/lib/screenLoad';
import { sumRows, totalPer } from '@/lib/totals';
import type { Hold } from '@/lib/useHeldStill';
import { Button } from '@/ui/Button';
import { CheckMark } from '@/ui/CheckMark';
import { classNames } from '@/ui/classNames';
import { LiveFieldError } from '@/ui/FieldError';
import { InfoAlert } from '@/ui/InfoAlert';
import { notesId, type PlanLine, PlanTable } from '@/ui/PlanTable';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { changePeriod } from './api';
import { ChangeDialogs } from './ChangeDialogs';
import { EstimateFailure } from './EstimateFailure';
import { Legal } from './Legal';
import { MoneyChange } from './MoneyChange';
import { didSentences, periodConfirmWords, startsFrom, willSentences } from './periodWords';
import styles from './subscriptions.module.css';
import { summaryAddress, withCharge } from './summary';
import { useChange } from './useChange';
import { useKept } from './useKept';
import { usePeriodEstimate } from './usePeriodEstimate';
import { usePeriodSelection } from './usePeriodSelection';

const FREE_MONTH_ENDS =
  'Your free month is still waiting for your next monthly bill. Upgrading takes it away.';

const GONE =
  'What was chosen cannot be changed any more. Choose another subscription to change that one.';

interface PeriodChoiceProps {
  action: PeriodAction;
  costs: ManagePlans;
  /** What can be changed; at least one. */
  candidates: readonly Plan[];
  hold: Hold;
}

/** Which plans to change, what that costs and saves, and the button that asks before it does so. */
export function PeriodChoice({ action, costs, candidates, hold }: PeriodChoiceProps) {
  const selection = usePeriodSelection(candidates);
  const priced = usePeriodEstimate(action, selection.chosen);
  const { estimate, shown } = priced;
  useScreenLoad(estimate);
  const change = usePeriodChange(action, selection.chosen, priced.estimateKey, hold);
  const isEmpty = selection.chosen.length === 0;
  const failed = !isEmpty && estimate.isError && !estimate.isFetching;
  const preview = isEmpty || failed ? undefined : shown;
  const from = preview && startsFrom(action, selection.chosen, preview);
  // The boxes wait for the first answer, whatever it is, and then stay: another choice is the way on from a refusal.
  const isDrawn = useKept(preview || isEmpty || failed ? true : undefined);
  return (
    <>
      {!isDrawn && <PlanTableSkeleton />}
      {isDrawn && (
        <div className={classNames(styles.choice, preview && !priced.figures && styles.awaited)}>
          <PlansToChange {...{ action, candidates, selection, preview }} />
          {preview && <MoneyChange now={costs} then={preview} from={from} />}
        </div>
      )}
      {failed && <EstimateFailure estimate={estimate} />}
      <Button
        disabled={!preview && !isEmpty}
        onClick={isEmpty ? selection.refuse : change.ask}
        block
      >
        SAVE CHANGES
      </Button>
      <Legal />
      <PeriodDialogs {...{ action, costs, chosen: selection.chosen, priced, change }} />
    </>
  );
}

interface PeriodDialogsProps {
  action: PeriodAction;
  costs: ManagePlans;
  chosen: readonly Plan[];
  priced: ReturnType<typeof usePeriodEstimate>;
  change: ReturnType<typeof usePeriodChange>;
}

function PeriodDialogs({ action, costs, chosen, priced, change }: PeriodDialogsProps) {
  const { estimate, figures, planIds } = priced;
  const from = figures && startsFrom(action, chosen, figures);
  return (
    <ChangeDialogs
      change={change}
      title={action === 'upgrade' ? 'Upgrade to annual billing?' : 'Downgrade to monthly billing?'}
      estimate={estimate}
      nothingLeft={chosen.length === 0}
      sentences={willSentences(action, chosen)}
      figures={figures && <MoneyChange now={costs} then={figures} from={from} />}
      warning={figures?.removesFreeMonth && FREE_MONTH_ENDS}
      confirmText={periodConfirmWords(action, figures)}
      onConfirm={() => figures && change.command.mutate({ planIds, quote: figures.quote })}
    />
  );
}

function usePeriodChange(
  action: PeriodAction,
  chosen: readonly Plan[],
  estimateKey: ReturnType<typeof usePeriodEstimate>['estimateKey'],
  hold: Hold,
) {
  const navigate = useNavigate();
  return useChange<Preview>({
    send: (order, idempotencyKey) => changePeriod(action, order, idempotencyKey),
    estimateKey,
    hold,
    onDone: (answer, plans) => {
      const inTrial = action === 'downgrade' && answer.isImmediate;
      void navigate(summaryAddress(inTrial ? 'downgrade_with_trial' : action), {
        state: toReceipt(withCharge(didSentences(action, chosen), answer), plans),
      });
    },
  });
}

interface PlansToChangeProps {
  action: PeriodAction;
  candidates: readonly Plan[];
  selection: ReturnType<typeof usePeriodSelection>;
  /** Nothing where it is not known what the choice comes to, or nothing is chosen. */
  preview: Preview | undefined;
}

/** The plans with a box each and, where that is known, what the change saves in a year and what they come to. */
function PlansToChange({ action, candidates, selection, preview }: PlansToChangeProps) {
  const ids = useId();
  const lines = candidates.map((plan) => {
    const isChosen = selection.chosen.includes(plan);
    const toBe = preview?.existingPlans.find(({ id }) => id === plan.id);
    const mark = { id: `${ids}${plan.id}`, isChosen };
    return lineOf(plan, isChosen ? (toBe ?? plan) : plan, mark, (on) => selection.toggle(plan, on));
  });
  return (
    <>
      {preview && <Credit action={action} preview={preview} />}
      <PlanTable
        caption="Your Subscriptions"
        lines={lines}
        sums={preview ? [...annualRow(action, preview.annualSavings), ...sumRows(preview)] : []}
      />
      <LiveFieldError>{choiceProblem(selection)}</LiveFieldError>
      {preview?.removesFreeMonth && <InfoAlert>{FREE_MONTH_ENDS}</InfoAlert>}
    </>
  );
}

function choiceProblem({ chosen, refused }: ReturnType<typeof usePeriodSelection>) {
  if (refused) return 'Choose at least one subscription to change.';
  return chosen.length === 0 && GONE;
}

function lineOf(
  plan: Plan,
  shown: Pick<Plan, 'amount' | 'periodUnit'>,
  { id, isChosen }: { id: string; isChosen: boolean },
  onChange: (on: boolean) => void,
): PlanLine {
  const now = `Now ${formatPrice(plan.amount, plan.periodUnit)}.`;
  return {
    key: id,
    ...planFacts({ ...plan, ...shown }),
    notes: [...(isChosen ? [now] : ['Stays as it is.']), ...planNotes(plan)],
    markId: id,
    mark: (
      <CheckMark
        id={id}
        label={plan.name}
        checked={isChosen}
        describedBy={notesId(id)}
        onChange={onChange}
      />
    ),
  };
}

function annualRow(action: PeriodAction, cents: number) {
  if (cents <= 0) return [];
  const row = {
    key: 'annual-savings',
    label: `You save ${formatCents(cents)} in annual cost`,
    kind: 'saving' as const,
  };
  return [action === 'upgrade' ? row : { ...row, note: 'for as long as you are billed annually' }];
}

/** What is left of the paid month comes off the yearly price. */
function Credit({ action, preview }: { action: PeriodAction; preview: Preview }) {
  if (action !== 'upgrade' || preview.credits <= 0) return null;
  return (
    <InfoAlert>
      Your total is <strong>{formatCents(totalPer(preview, 'year'))}</strong> per year. You get a
      credit of <strong>{formatCents(preview.credits)}</strong> for the remaining days of your
      monthly subscription.
    </InfoAlert>
  );
}
