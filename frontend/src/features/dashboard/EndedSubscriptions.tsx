import type { OfferedPlan, Plan } from '@/lib/api/types';
import { serviceArt } from '@/lib/artwork';
import { formatPrice, formatShortDate } from '@/lib/formats';
import { addressToAdd } from '@/lib/selection';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { ServicePicture } from '@/ui/ServicePicture';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './EndedSubscriptions.module.css';
import panel from './Panel.module.css';

interface EndedSubscriptionsProps {
  plans: readonly Plan[];
  /** What could be added now, each with its price. */
  offered: readonly OfferedPlan[];
}

/** What one held once, and the way to start it again. */
export function EndedSubscriptions({ plans, offered }: EndedSubscriptionsProps) {
  return (
    <Card as="section" labelledBy="ended" className={panel.panel}>
      <h2 id="ended">Ended subscriptions</h2>
      <ul className={panel.rows}>
        {plans.map((plan) => (
          <li key={plan.subId} className={styles.row}>
            <Ended plan={plan} />
            <StartAgain plan={plan} offered={offered} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Ended({ plan: { name, service, cancelAt } }: { plan: Plan }) {
  return (
    <div className={styles.what}>
      <ServicePicture src={serviceArt(service)} size={48} />
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

/** The same plan where it is still sold, else the one that its service has now; nothing where there is none. */
function offerFor(plan: Plan, offered: readonly OfferedPlan[]): OfferedPlan | undefined {
  return (
    offered.find(({ id }) => id === plan.id) ??
    offered.find(({ service }) => service.toLowerCase() === plan.service.toLowerCase())
  );
}

function StartAgain({ plan, offered }: { plan: Plan; offered: readonly OfferedPlan[] }) {
  const offer = offerFor(plan, offered);
  if (!offer) return null;
  return (
    <div className={styles.again}>
      <p className={styles.price}>{formatPrice(offer.amount, offer.periodUnit)}</p>
      <ButtonLink variant="secondary" to={addressToAdd(offer.id)}>
        Start again<VisuallyHidden> with {offer.name}</VisuallyHidden>
      </ButtonLink>
    </div>
  );
}
