import { useQuery } from '@tanstack/react-query';
import { noBillsSentence } from '@/domain/costs/nextBills';
import { listSources } from '@/domain/payments/paymentSources';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { offersForPeriod } from '@/domain/plans/offeredPlans';
import { PeriodPicker } from '@/domain/plans/PeriodPicker';
import {
  addressWithPeriod,
  confirmPlansAddress,
  type PlanOrder,
  payForPlansAddress,
} from '@/domain/plans/planAddresses';
import { useChosenPeriod } from '@/domain/plans/useChosenPeriod';
import { ServiceCards } from '@/domain/services/ServiceCards';
import panel from '@/features/dashboard/panels/Panel.module.css';
import { paymentsOptions } from '@/lib/api/queries';
import type { OfferedPlan, Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { TextLink } from '@/ui/navigation/TextLink';

interface NoSubscriptionsProps {
  ended: readonly Plan[];
  /** The plans that can be added, with their prices. */
  offered: readonly OfferedPlan[];
}

/**
 * The empty state of the subscriptions: the services to start. Those that have ended are listed with
 * a way to start them again.
 */
export function NoSubscriptions({ ended, offered }: NoSubscriptionsProps) {
  const isReturning = ended.length > 0;
  const overdue = useOverdueAmount(ended);
  const endedServices = ended.map(({ service }) => service.toLowerCase());
  const fresh = offered.filter(({ service }) => !endedServices.includes(service.toLowerCase()));
  const [periodUnit, choosePeriod] = useChosenPeriod({ existingPlans: [], plans: fresh });
  return (
    <section aria-labelledby="your-subscriptions" className={panel.panel}>
      <h2 id="your-subscriptions">
        {isReturning ? 'Your subscriptions have ended' : 'No subscriptions yet'}
      </h2>
      <p>
        {isReturning
          ? `${noBillsSentence(ended, overdue)} Your invoices are still here.`
          : 'Choose what you’d like to watch. You can cancel anytime.'}
      </p>
      <PeriodPicker offered={fresh} periodUnit={periodUnit} onChoose={choosePeriod} />
      {fresh.length > 0 && (
        <ServiceCards
          offered={offersForPeriod(fresh, periodUnit)}
          renderAction={({ id, name }) => (
            <StartLink name={name} order={{ planIds: [id], periodUnit }} />
          )}
        />
      )}
      <TextLink to={addressWithPeriod(paths.manageSubscription, periodUnit)}>
        {offered.length > 1 ? 'Start several and save as a bundle' : 'See plans and prices'}
      </TextLink>
    </section>
  );
}

/** Leads to the confirmation; without a payment method, over adding a card. */
function StartLink({ name, order }: { name: string; order: PlanOrder }) {
  const { data: payments } = useQuery(paymentsOptions);
  const needsMethod = payments !== undefined && listSources(payments).length === 0;
  return (
    <ButtonLink to={needsMethod ? payForPlansAddress(order) : confirmPlansAddress(order)}>
      {needsMethod ? 'Add a card and start' : 'Start'} {name}
    </ButtonLink>
  );
}
