import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { ButtonAnchor, ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { EmptyState } from '@/ui/States';
import styles from './NoSubscriptions.module.css';

/** Instead of the subscriptions, where there are none: what would be here, and the services to look at. */
export function NoSubscriptions({ ended }: { ended: readonly Plan[] }) {
  return (
    <Card as="section" labelledBy="your-subscriptions">
      <h2 id="your-subscriptions">Your Subscriptions</h2>
      <EmptyState
        icon={<PlayIcon />}
        title={ended.length > 0 ? 'Your subscriptions have ended' : 'You have no subscriptions yet'}
        action={<WaysIn isBack={ended.length > 0} />}
      >
        {ended.length > 0
          ? 'Nothing more will be billed. Your invoices stay here for you.'
          : 'When you subscribe to one of our services, you will see here what it costs and what comes next.'}
      </EmptyState>
    </Card>
  );
}

/** To the plans with their prices, and to the services themselves. */
function WaysIn({ isBack }: { isBack: boolean }) {
  return (
    <div className={styles.ways}>
      <ButtonLink to={paths.manageSubscription}>
        {isBack ? 'Choose a subscription' : 'See plans and prices'}
      </ButtonLink>
      <Services />
    </div>
  );
}

/** The services' own sites; one without an address is left out. */
function Services() {
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
