import { useQuery } from '@tanstack/react-query';
import { listSources } from '@/domain/payments/paymentSources';
import { confirmPlansAddress, payForPlansAddress } from '@/domain/plans/planAddresses';
import { ServicePicture } from '@/domain/services/ServicePicture';
import { servicePictureUrl } from '@/domain/services/servicePictures';
import panel from '@/features/dashboard/panels/Panel.module.css';
import { paymentsOptions } from '@/lib/api/queries';
import type { OfferedPlan, Plan } from '@/lib/api/types';
import { formatPrice, formatShortDate } from '@/lib/formats';
import { ButtonLink } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './EndedSubscriptions.module.css';

interface EndedSubscriptionsProps {
  plans: readonly Plan[];
  /** The plans that can be added, with their prices. */
  offered: readonly OfferedPlan[];
}

/** The subscriptions that have ended, with links to start them again. */
export function EndedSubscriptions({ plans, offered }: EndedSubscriptionsProps) {
  return (
    <Card as="section" labelledBy="ended" className={panel.panel}>
      <h2 id="ended">Ended subscriptions</h2>
      <ul className={panel.rows}>
        {plans.map((plan) => (
          <li key={plan.subId} className={styles.row}>
            <EndedPlan plan={plan} />
            <StartAgain plan={plan} offered={offered} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function EndedPlan({ plan: { name, service, cancelAt } }: { plan: Plan }) {
  return (
    <div className={styles.plan}>
      <ServicePicture src={servicePictureUrl(service)} size={48} />
      <div>
        <p className={styles.name}>{name}</p>
        {cancelAt && (
          <p className={panel.muted}>
            Ended <time dateTime={cancelAt}>{formatShortDate(cancelAt)}</time>
          </p>
        )}
      </div>
    </div>
  );
}

/** The same plan if it is still sold, or else another plan of its service, if any. */
function findOffer(plan: Plan, offered: readonly OfferedPlan[]): OfferedPlan | undefined {
  return (
    offered.find(({ id }) => id === plan.id) ??
    offered.find(({ service }) => service.toLowerCase() === plan.service.toLowerCase())
  );
}

/** Leads to the confirmation; without a payment method, over adding a card. */
function StartAgain({ plan, offered }: { plan: Plan; offered: readonly OfferedPlan[] }) {
  const { data: payments } = useQuery(paymentsOptions);
  const offer = findOffer(plan, offered);
  if (!offer) return null;
  const order = { planIds: [offer.id], periodUnit: null };
  const needsMethod = payments !== undefined && listSources(payments).length === 0;
  return (
    <div className={styles.restart}>
      <p className={styles.price}>{formatPrice(offer.amount, offer)}</p>
      <ButtonLink
        variant="secondary"
        to={needsMethod ? payForPlansAddress(order) : confirmPlansAddress(order)}
      >
        Start again<VisuallyHidden> with {offer.name}</VisuallyHidden>
      </ButtonLink>
    </div>
  );
}
