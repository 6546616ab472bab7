import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { ButtonAnchor, ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { EmptyState } from '@/ui/EmptyState';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import styles from './NoSubscriptions.module.css';

/** The empty state of the subscriptions, with links to the plans and the services. */
export function NoSubscriptions({ ended }: { ended: readonly Plan[] }) {
  return (
    <Card as="section" labelledBy="your-subscriptions">
      <h2 id="your-subscriptions">Your Subscriptions</h2>
      <EmptyState
        icon={<PlayIcon />}
        title={ended.length > 0 ? 'Your subscriptions have ended' : 'No subscriptions yet'}
        action={<SubscribeLinks isReturning={ended.length > 0} />}
      >
        {ended.length > 0
          ? 'You won’t be billed again. Your invoices are still here.'
          : 'Subscribe to a service to see its price and next bill here.'}
      </EmptyState>
    </Card>
  );
}

/** Links to the plans with their prices, and to the services. */
function SubscribeLinks({ isReturning }: { isReturning: boolean }) {
  return (
    <div className={styles.actions}>
      <ButtonLink to={paths.manageSubscription}>
        {isReturning ? 'Choose a subscription' : 'See plans and prices'}
      </ButtonLink>
      <ServiceLinks />
    </div>
  );
}

/** Links to the services' own sites, without services that have none. */
function ServiceLinks() {
  const { data: site } = useQuery(siteOptions);
  return (
    <ul aria-label="Our services" className={styles.services}>
      {site?.services
        .filter(({ browseUrl }) => browseUrl)
        .map(({ id, name, browseUrl }) => (
          <li key={id}>
            <ButtonAnchor variant="secondary" block href={browseUrl} newTab>
              Explore {name}
            </ButtonAnchor>
          </li>
        ))}
    </ul>
  );
}
