import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { createReceiptState } from '@/domain/changes/receipts';
import { billRows } from '@/domain/costs/nextBills';
import { periodPrices, sumRows } from '@/domain/costs/totals';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { listSources } from '@/domain/payments/paymentSources';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { offersForPeriod } from '@/domain/plans/offeredPlans';
import { PeriodPicker } from '@/domain/plans/PeriodPicker';
import { PlanTable } from '@/domain/plans/PlanTable';
import { asksToConfirmPlans, withoutConfirmation } from '@/domain/plans/planAddresses';
import { isLive, watchableServices } from '@/domain/plans/plans';
import { useChosenPeriod } from '@/domain/plans/useChosenPeriod';
import { ServiceCards } from '@/domain/services/ServiceCards';
import { StartStreaming } from '@/domain/services/StartStreaming';
import { changeServices, periodField } from '@/features/subscriptions/shared/api';
import { ChangeDialogs } from '@/features/subscriptions/shared/ChangeDialogs';
import { CostChange } from '@/features/subscriptions/shared/CostChange';
import { EstimateFailure } from '@/features/subscriptions/shared/EstimateFailure';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import { addChargeSentence, summaryAddress } from '@/features/subscriptions/shared/summary';
import { usePlanChange } from '@/features/subscriptions/shared/usePlanChange';
import { paymentsOptions, siteOptions } from '@/lib/api/queries';
import type { ManagePlans, OfferedPlan, ServicesChange } from '@/lib/api/types';
import { type SetFrozen, useFrozen } from '@/lib/hooks/useFrozen';
import { useCart } from '@/stores/cart';
import { showSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/buttons/Button';
import { classNames } from '@/ui/classNames';
import { Checkbox } from '@/ui/forms/Checkbox';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { LastPlanError } from './LastPlanError';
import { additionsOf, SaveButton } from './SaveButton';
import {
  changeSentences,
  choosablePlans,
  lostPriceSentences,
  removalSentences,
  removedPlans,
  servicesCharge,
  servicesConfirmLabel,
  setAsideSentences,
  unchangeablePlans,
} from './serviceDraft';
import { fixedLine, serviceLine } from './serviceLine';
import { type ServiceDraft, useServiceDraft } from './useServiceDraft';

/**
 * Checkboxes for the services, the resulting costs, and the save button, which asks for
 * confirmation; without the button if nothing can be chosen.
 */
export function ServiceChoice({ costs: currentCosts }: { costs: ManagePlans }) {
  const [offer, setFrozen] = useFrozen(currentCosts);
  const [periodUnit, choosePeriod] = useChosenPeriod(offer);
  // The draft's figures compare it by identity.
  const costs = useMemo(
    () => ({ ...offer, plans: offersForPeriod(offer.plans, periodUnit) }),
    [offer, periodUnit],
  );
  const draft = useServiceDraft(costs, periodUnit);
  const change = useConfirmationFromUrl(draft, useServicesChange(costs, draft, setFrozen));
  const { data: site } = useQuery(siteOptions);
  const services = useRef<HTMLDivElement>(null);
  const reset = () => {
    draft.startOver();
    // The button that was pressed goes.
    services.current?.querySelector('input')?.focus();
  };
  const submit = () => {
    if (draft.isChanged) change.ask();
    else showSnackbar('Select a service to add or remove first.', 'warning');
  };
  return (
    <>
      <PeriodPicker offered={offer.plans} periodUnit={periodUnit} onChoose={choosePeriod} />
      <div ref={services} className={classNames(styles.choice, isPending(draft) && styles.stale)}>
        {periodUnit !== null && <FirstServices offered={costs.plans} draft={draft} />}
        <ServiceTable costs={costs} draft={draft} />
      </div>
      <LastPlanError isRefused={draft.isRefused} />
      <DraftFigures costs={costs} draft={draft} />
      {draft.all.length > 0 && (
        <>
          <div className={styles.actions}>
            <SaveButton draft={draft} onSave={submit} />
            {draft.isChanged && (
              <Button variant="link" onClick={reset}>
                Reset
              </Button>
            )}
          </div>
          <AgreementLinks />
        </>
      )}
      <StartStreaming
        quiet
        services={watchableServices(costs.existingPlans.filter(isLive), site?.services)}
      />
      <ServicesDialogs costs={costs} draft={draft} change={change} />
    </>
  );
}

/** The services to start as cards, for an account that has none of them. */
function FirstServices({
  offered,
  draft,
}: {
  offered: readonly OfferedPlan[];
  draft: ServiceDraft;
}) {
  return (
    <ServiceCards
      offered={offered}
      renderAction={(plan) => (
        <Checkbox
          label={`Start ${plan.name}`}
          checked={draft.wanted.includes(plan.id)}
          onChange={(on) => draft.toggleWanted(plan, on)}
        />
      )}
    />
  );
}

/** The rows of the services, unless they are cards, and the sums; nothing without a row. */
function ServiceTable({ costs, draft }: DraftProps) {
  const ids = useId();
  const overdue = useOverdueAmount(draft.shown.existingPlans);
  const choosable = draft.periodUnit === null ? draft.all : [];
  const lines = choosable.map((plan) =>
    serviceLine({
      plan,
      change: draft.isChanged ? (draft.figures ?? pricedChange(draft)) : undefined,
      chosen: draft.wanted.includes(plan.id),
      id: `${ids}${plan.id}`,
      onChange: (on) => draft.toggleWanted(plan, on),
    }),
  );
  const allLines = [...lines, ...unchangeablePlans(costs).map(fixedLine)];
  if (allLines.length === 0) return null;
  // The figures of a change, below, have its bills.
  const bills = pricedChange(draft)
    ? []
    : billRows(draft.shown.nextBills, draft.shown.existingPlans, overdue);
  return (
    <PlanTable
      caption="Your Subscriptions"
      lines={allLines}
      sums={[...sumRows(draft.shown), ...bills]}
    />
  );
}

/**
 * Opens the confirmation once, if the URL asks for it and there is something to confirm and to pay
 * with. Closing it takes the request out of the URL, so that a reload doesn't ask again.
 */
function useConfirmationFromUrl(
  { isChanged }: ServiceDraft,
  change: ServicesDialog,
): ServicesDialog {
  const [query, setQuery] = useSearchParams();
  const isAsked = useRef(false);
  const { data: payments } = useQuery(paymentsOptions);
  const canPay = payments !== undefined && listSources(payments).length > 0;
  const isWanted = asksToConfirmPlans(query) && isChanged && canPay;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens it once.
  useEffect(() => {
    if (!isWanted || isAsked.current) return;
    isAsked.current = true;
    change.ask();
  }, [isWanted]);
  const close = () => {
    change.close();
    if (asksToConfirmPlans(query)) setQuery(withoutConfirmation(query), { replace: true });
  };
  return { ...change, close };
}

function isPending({ isChanged, figures, estimate }: ServiceDraft): boolean {
  return isChanged && !figures && !estimate.isError;
}

/** The draft's change with its figures; undefined until the draft differs and they are there. */
function pricedChange({ isChanged, shown }: ServiceDraft): ServicesChange | undefined {
  return isChanged ? asServicesChange(shown) : undefined;
}

function asServicesChange(costs: ManagePlans | ServicesChange): ServicesChange | undefined {
  return 'quote' in costs ? costs : undefined;
}

type ServicesDialog = ReturnType<typeof useServicesChange>;

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
        state: createReceiptState(
          addChargeSentence(sentences, answer),
          plans,
          removedPlans(answer, plans).map(({ subId }) => subId),
        ),
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
  const shown = pricedChange(draft);
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
  return <CostChange now={costs} then={change} chargedPlanIds={change.added} />;
}

function ServicesDialogs({ costs, draft, change }: DraftProps & { change: ServicesDialog }) {
  const { figures } = draft;
  const order = { planIds: draft.wanted, ...periodField(draft.periodUnit) };
  const all = choosablePlans(costs);
  const warnings = figures
    ? [
        ...removalSentences(figures, all),
        ...setAsideSentences(figures, all),
        ...lostPriceSentences(figures, all),
      ]
    : [];
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
      onConfirm={() => figures && change.command.mutate({ ...order, quote: figures.quote })}
      declinedCharge={figures ? servicesCharge(figures, order, all) : null}
      order={additionsOf(draft)}
    />
  );
}
