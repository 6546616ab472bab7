import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { createReceiptState } from '@/domain/changes/receipts';
import { endClause, laterPriceSentence } from '@/domain/costs/bundlePrices';
import { periodPrices, sumRows } from '@/domain/costs/totals';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { PlanTable } from '@/domain/plans/PlanTable';
import { isLive, watchableServices } from '@/domain/plans/plans';
import { StartStreaming } from '@/domain/services/StartStreaming';
import { changeServices } from '@/features/subscriptions/shared/api';
import { ChangeDialogs } from '@/features/subscriptions/shared/ChangeDialogs';
import { CostChange } from '@/features/subscriptions/shared/CostChange';
import { EstimateFailure } from '@/features/subscriptions/shared/EstimateFailure';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import { addChargeSentence, summaryAddress } from '@/features/subscriptions/shared/summary';
import { usePlanChange } from '@/features/subscriptions/shared/usePlanChange';
import { siteOptions } from '@/lib/api/queries';
import type { ManagePlans, ServicesChange } from '@/lib/api/types';
import { type SetFrozen, useFrozen } from '@/lib/hooks/useFrozen';
import { useCart } from '@/stores/cart';
import { showSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { classNames } from '@/ui/classNames';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { LastPlanError } from './LastPlanError';
import {
  changeSentences,
  choosablePlans,
  removalSentences,
  servicesConfirmLabel,
} from './serviceDraft';
import { serviceLine } from './serviceLine';
import { type ServiceDraft, useServiceDraft } from './useServiceDraft';

/**
 * Checkboxes for the services, the resulting costs, and the save button, which asks for
 * confirmation.
 */
export function ServiceChoice({ costs: currentCosts }: { costs: ManagePlans }) {
  const [costs, setFrozen] = useFrozen(currentCosts);
  const draft = useServiceDraft(costs);
  const change = useServicesChange(costs, draft, setFrozen);
  const { data: site } = useQuery(siteOptions);
  const ids = useId();
  const lines = draft.all.map((plan) =>
    serviceLine({
      plan,
      change: draft.isChanged ? (draft.figures ?? asServicesChange(draft.shown)) : undefined,
      chosen: draft.wanted.includes(plan.id),
      id: `${ids}${plan.id}`,
      onChange: (on) => draft.toggleWanted(plan, on),
    }),
  );
  const submit = () => {
    if (draft.isChanged) change.ask();
    else showSnackbar('Select a service to add or remove first.', 'warning');
  };
  return (
    <>
      <div className={classNames(styles.choice, isPending(draft) && styles.stale)}>
        <PlanTable caption="Your Subscriptions" lines={lines} sums={sumRows(draft.shown)} />
      </div>
      <LastPlanError isRefused={draft.isRefused} />
      <DraftFigures costs={costs} draft={draft} />
      <div className={styles.actions}>
        <Button onClick={submit} block>
          SAVE CHANGES
        </Button>
        {draft.isChanged && (
          <Button variant="link" onClick={draft.startOver}>
            Reset
          </Button>
        )}
      </div>
      <AgreementLinks />
      <StartStreaming
        quiet
        services={watchableServices(costs.existingPlans.filter(isLive), site?.services)}
      />
      <ServicesDialogs costs={costs} draft={draft} change={change} />
    </>
  );
}

function isPending({ isChanged, figures, estimate }: ServiceDraft): boolean {
  return isChanged && !figures && !estimate.isError;
}

function asServicesChange(costs: ManagePlans | ServicesChange): ServicesChange | undefined {
  return 'quote' in costs ? costs : undefined;
}

/** Clears the draft when the screen unmounts after a successful change. */
function useServicesChange(costs: ManagePlans, draft: ServiceDraft, setFrozen: SetFrozen) {
  const navigate = useNavigate();
  const isDone = useRef(false);
  useEffect(
    () => () => {
      if (isDone.current) useCart.getState().clear();
    },
    [],
  );
  return usePlanChange<ServicesChange>({
    send: changeServices,
    estimateKey: draft.estimateKey,
    setFrozen,
    onDone: (answer, plans) => {
      const isRemoval = answer.removed.length > 0 && answer.added.length === 0;
      const sentences = [
        ...changeSentences(answer, choosablePlans(costs), 'did'),
        ...removalSentences(answer, choosablePlans(costs)),
      ];
      isDone.current = true;
      void navigate(summaryAddress(isRemoval ? 'remove_service' : 'adjust_subscription'), {
        state: createReceiptState(addChargeSentence(sentences, answer), plans),
      });
    },
  });
}

interface DraftProps {
  costs: ManagePlans;
  draft: ServiceDraft;
}

/**
 * The costs before and after, while the draft differs. Announced to screen readers once they are
 * current.
 */
function DraftFigures({ costs, draft }: DraftProps) {
  const { estimate, figures, isChanged } = draft;
  const shown = isChanged ? asServicesChange(draft.shown) : undefined;
  const failed = isChanged && estimate.isError && !estimate.isFetching;
  return (
    <>
      {failed && <EstimateFailure estimate={estimate} />}
      {shown && !failed && <ServicesCostChange costs={costs} change={shown} />}
      <VisuallyHidden>
        <span role="status">
          {figures && <>Your new total: {periodPrices(figures).join(' and ')}.</>}
        </span>
      </VisuallyHidden>
    </>
  );
}

function ServicesCostChange({ costs, change }: { costs: ManagePlans; change: ServicesChange }) {
  return (
    <CostChange
      now={costs}
      then={change}
      from={startPhrase(change, costs)}
      later={laterPriceSentence(change)}
    />
  );
}

/** A removal changes the price only once access ends. */
function startPhrase({ removed }: ServicesChange, costs: ManagePlans): string | undefined {
  const ending = choosablePlans(costs).filter(({ id }) => removed.includes(id));
  return ending.length > 0 ? `After ${endClause(ending)}` : undefined;
}

function ServicesDialogs({
  costs,
  draft,
  change,
}: DraftProps & { change: ReturnType<typeof useServicesChange> }) {
  const { figures, wanted } = draft;
  const all = choosablePlans(costs);
  const warnings = figures ? removalSentences(figures, all) : [];
  return (
    <ChangeDialogs
      change={change}
      title="Save your changes?"
      estimate={draft.estimate}
      nothingLeft={!draft.isChanged}
      sentences={figures ? changeSentences(figures, all, 'will') : []}
      figures={figures && <ServicesCostChange costs={costs} change={figures} />}
      warning={warnings.length > 0 ? warnings.join(' ') : undefined}
      confirmText={figures ? servicesConfirmLabel(figures, all) : 'YES, SAVE'}
      onConfirm={() => figures && change.command.mutate({ planIds: wanted, quote: figures.quote })}
    />
  );
}
