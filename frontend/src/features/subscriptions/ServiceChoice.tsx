import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { useNavigate } from 'react-router-dom';

import { siteOptions } from '@/lib/api/queries';
import type { ManagePlans, ServicesChange } from '@/lib/api/types';
import { haveEnded, priceAfterEnd } from '@/lib/bundles';
import { isLive, watchableServices } from '@/lib/plans';
import { toReceipt } from '@/lib/receipts';
import { periodPrices, sumRows } from '@/lib/totals';
import { type Hold, useHeldStill } from '@/lib/useHeldStill';
import { useCart } from '@/stores/cart';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { classNames } from '@/ui/classNames';
import { PlanTable } from '@/ui/PlanTable';
import { StartStreaming } from '@/ui/StartStreaming';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { AtLeastOne } from './AtLeastOne';
import { changeServices } from './api';
import { ChangeDialogs } from './ChangeDialogs';
import { choiceLine } from './choiceLine';
import { changeSentences, choosable, confirmWords, removalSentences } from './draft';
import { EstimateFailure } from './EstimateFailure';
import { Legal } from './Legal';
import { MoneyChange } from './MoneyChange';
import styles from './subscriptions.module.css';
import { summaryAddress, withCharge } from './summary';
import { useChange } from './useChange';
import { type Draft, useDraft } from './useDraft';

/** Which services go on and which are added, what that comes to, and the button that asks before it does so. */
export function ServiceChoice({ costs: current }: { costs: ManagePlans }) {
  const [costs, hold] = useHeldStill(current);
  const draft = useDraft(costs);
  const change = useServicesChange(costs, draft, hold);
  const { data: site } = useQuery(siteOptions);
  const ids = useId();
  const lines = draft.all.map((plan) =>
    choiceLine({
      plan,
      change: draft.isChanged ? (draft.figures ?? asChange(draft.shown)) : undefined,
      chosen: draft.wanted.includes(plan.id),
      id: `${ids}${plan.id}`,
      onChange: (on) => draft.toggle(plan, on),
    }),
  );
  const save = () => {
    if (draft.isChanged) change.ask();
    else notify('Choose what to add or remove first.', 'warning');
  };
  return (
    <>
      <div className={classNames(styles.choice, isAwaited(draft) && styles.awaited)}>
        <PlanTable caption="Your Subscriptions" lines={lines} sums={sumRows(draft.shown)} />
      </div>
      <AtLeastOne refused={draft.refused} />
      <DraftFigures costs={costs} draft={draft} />
      <div className={styles.ways}>
        <Button onClick={save} block>
          SAVE CHANGES
        </Button>
        {draft.isChanged && (
          <Button variant="link" onClick={draft.startOver}>
            Undo what I have chosen
          </Button>
        )}
      </div>
      <Legal />
      <StartStreaming
        quiet
        services={watchableServices(costs.existingPlans.filter(isLive), site?.services)}
      />
      <ServicesDialogs costs={costs} draft={draft} change={change} />
    </>
  );
}

function isAwaited({ isChanged, figures, estimate }: Draft): boolean {
  return isChanged && !figures && !estimate.isError;
}

function asChange(costs: ManagePlans | ServicesChange): ServicesChange | undefined {
  return 'quote' in costs ? costs : undefined;
}

/** The draft goes with the screen, once it has been made true. */
function useServicesChange(costs: ManagePlans, draft: Draft, hold: Hold) {
  const navigate = useNavigate();
  const isDone = useRef(false);
  useEffect(
    () => () => {
      if (isDone.current) useCart.getState().clear();
    },
    [],
  );
  return useChange<ServicesChange>({
    send: changeServices,
    estimateKey: draft.estimateKey,
    hold,
    onDone: (answer, plans) => {
      const isRemoval = answer.removed.length > 0 && answer.added.length === 0;
      const said = [
        ...changeSentences(answer, choosable(costs), 'did'),
        ...removalSentences(answer, choosable(costs)),
      ];
      isDone.current = true;
      void navigate(summaryAddress(isRemoval ? 'remove_service' : 'adjust_subscription'), {
        state: toReceipt(withCharge(said, answer), plans),
      });
    },
  });
}

interface DraftProps {
  costs: ManagePlans;
  draft: Draft;
}

/** Before and after in money, while the draft differs; said to a screen reader as it settles. */
function DraftFigures({ costs, draft }: DraftProps) {
  const { estimate, figures, isChanged } = draft;
  const shown = isChanged ? asChange(draft.shown) : undefined;
  const failed = isChanged && estimate.isError && !estimate.isFetching;
  return (
    <>
      {failed && <EstimateFailure estimate={estimate} />}
      {shown && !failed && <ServicesMoney costs={costs} change={shown} />}
      <VisuallyHidden>
        <span role="status">
          {figures && <>Your new total: {periodPrices(figures).join(' and ')}.</>}
        </span>
      </VisuallyHidden>
    </>
  );
}

function ServicesMoney({ costs, change }: { costs: ManagePlans; change: ServicesChange }) {
  return (
    <MoneyChange
      now={costs}
      then={change}
      from={startOf(change, costs)}
      later={priceAfterEnd(change)}
    />
  );
}

/** A removal changes the price only when its access ends. */
function startOf({ removed }: ServicesChange, costs: ManagePlans): string | undefined {
  const ending = choosable(costs).filter(({ id }) => removed.includes(id));
  return ending.length > 0 ? `once ${haveEnded(ending)}` : undefined;
}

function ServicesDialogs({
  costs,
  draft,
  change,
}: DraftProps & { change: ReturnType<typeof useServicesChange> }) {
  const { figures, wanted } = draft;
  const all = choosable(costs);
  const warnings = figures ? removalSentences(figures, all) : [];
  return (
    <ChangeDialogs
      change={change}
      title="Save your changes?"
      estimate={draft.estimate}
      nothingLeft={!draft.isChanged}
      sentences={figures ? changeSentences(figures, all, 'will') : []}
      figures={figures && <ServicesMoney costs={costs} change={figures} />}
      warning={warnings.length > 0 ? warnings.join(' ') : undefined}
      confirmText={figures ? confirmWords(figures, all) : 'YES, SAVE'}
      onConfirm={() => figures && change.command.mutate({ planIds: wanted, quote: figures.quote })}
    />
  );
}
