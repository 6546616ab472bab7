import { changeLinks } from '@/domain/plans/changeLinks';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { Card } from '@/ui/layout/Card';
import { TextLink } from '@/ui/navigation/TextLink';
import styles from './LinksPanel.module.css';

/**
 * What can be changed for all subscriptions, each only if there is something to do; nothing if that
 * is only what the navigation leads to, as it does to all areas of the account.
 */
export function LinksPanel({ plans }: { plans: readonly Plan[] }) {
  const links = changeLinks(plans);
  if (links.length === 0) return null;
  return (
    <Card as="section" labelledBy="ways" className={styles.panel}>
      <h2 id="ways">Make a change</h2>
      <ul className={styles.links}>
        <li>
          <TextLink to={paths.manageSubscription}>Manage Subscriptions</TextLink>
        </li>
        {links.map(({ to, label }) => (
          <li key={to}>
            <TextLink to={to}>{label}</TextLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
